// Random access to a file or memory: archives of several GB are read in place.

public import JSONText

/// Bytes of a known count with random access. This target opens no files: the caller does, and passes
/// this.
public protocol RandomAccessBytes: Sendable {
    /// How many bytes there are.
    var byteCount: Int64 { get }

    /// Reads bytes.
    /// - Parameters:
    ///   - offset: of the first byte, from 0; at most `byteCount`.
    ///   - count: the maximum number of bytes.
    /// - Returns: the bytes; fewer than `count` only at the end.
    /// - Throws: if the bytes cannot be read.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8]
}

extension RandomAccessBytes {
    /// Exactly `count` bytes at `offset`; nil if there are fewer.
    func allBytes(at offset: Int64, count: Int) throws -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= byteCount, Int64(count) <= byteCount - offset
        else { return nil }
        var found = try bytes(at: offset, count: count)
        while found.count < count {
            let more = try bytes(at: offset + Int64(found.count), count: count - found.count)
            guard !more.isEmpty else { return nil }
            found += more
        }
        return found
    }
}

/// Random access to bytes in memory.
public struct BytesInMemory: RandomAccessBytes {
    private let all: [UInt8]

    /// Holds `bytes`.
    public init(_ bytes: [UInt8]) {
        all = bytes
    }

    /// How many bytes there are.
    public var byteCount: Int64 { Int64(all.count) }

    /// The bytes at `offset`, at most `count`.
    public func bytes(at offset: Int64, count: Int) -> [UInt8] {
        let start = Int(clamping: offset)
        guard start >= 0, start < all.count, count > 0 else { return [] }
        return Array(all[start..<min(all.count, start + min(count, all.count - start))])
    }
}

/// Reads a range of random access bytes sequentially.
public final class PlainByteSource: ByteSource {
    private let source: any RandomAccessBytes
    private var offset: Int64
    private let end: Int64

    /// Chunk size in bytes.
    static let pieceByteCount = 64 << 10

    /// All of `source`.
    public convenience init(_ source: any RandomAccessBytes) {
        self.init(source, 0..<source.byteCount)
    }

    init(_ source: any RandomAccessBytes, _ range: Range<Int64>) {
        self.source = source
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The next bytes; nil at the end.
    /// - Throws: if they cannot be read.
    public func next() throws -> [UInt8]? {
        guard offset < end else { return nil }
        let count = Int(min(end - offset, Int64(Self.pieceByteCount)))
        let piece = try source.bytes(at: offset, count: count)
        guard !piece.isEmpty else { return nil }
        offset += Int64(piece.count)
        return piece
    }
}
