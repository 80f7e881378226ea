// Bytes that lie somewhere else, a file or memory: archives of several GB are read where they lie.

public import JSONText

/// Bytes of a known count that can be read at any place. Nothing here opens files: who imports does,
/// and hands this over.
public protocol RandomAccessBytes: Sendable {
    /// How many bytes there are.
    var byteCount: Int64 { get }

    /// Reads bytes.
    /// - Parameters:
    ///   - offset: where the first one lies, from 0; never beyond `byteCount`.
    ///   - count: how many at most.
    /// - Returns: the bytes; fewer than `count` only at the end.
    /// - Throws: where they cannot be read.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8]
}

extension RandomAccessBytes {
    /// Exactly `count` bytes at `offset`; nil where there are fewer.
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

/// Bytes in memory, as a file that can be read anywhere.
public struct BytesInMemory: RandomAccessBytes {
    private let all: [UInt8]

    /// Takes the bytes.
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

/// A part of random access bytes from its beginning to its end.
public final class PlainByteSource: ByteSource {
    private let source: any RandomAccessBytes
    private var offset: Int64
    private let end: Int64

    /// The bytes of one piece.
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
    /// - Throws: where they cannot be read.
    public func next() throws -> [UInt8]? {
        guard offset < end else { return nil }
        let count = Int(min(end - offset, Int64(Self.pieceByteCount)))
        let piece = try source.bytes(at: offset, count: count)
        guard !piece.isEmpty else { return nil }
        offset += Int64(piece.count)
        return piece
    }
}
