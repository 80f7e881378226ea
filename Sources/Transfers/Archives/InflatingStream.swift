// Unpacks a file of an archive in chunks.

import Deflate
import JSONText

/// A stream of inflated bytes.
final class InflatingStream: ByteSource {
    private let packed: any ByteSource
    private let name: String
    /// Nil if memory allocation failed.
    private let inflater: Inflater?
    private var input: ArraySlice<UInt8> = []

    init(_ packed: any ByteSource, name: String) {
        self.packed = packed
        self.name = name
        inflater = try? Inflater(windowBits: 15)
    }

    func next() throws -> [UInt8]? {
        guard let inflater else { throw ArchiveError.damaged(what: "zlib cannot unpack it") }
        while !inflater.isAtEnd {
            if input.isEmpty, !inflater.hasPendingOutput {
                guard let piece = try packed.next() else {
                    throw ArchiveError.damaged(what: "\(quoted(name)) ends too early")
                }
                input = piece[...]
            }
            let output = try unpack(by: inflater)
            if !output.isEmpty { return output }
        }
        guard input.isEmpty, try packed.next() == nil else {
            throw ArchiveError.damaged(what: "bytes follow the end of \(quoted(name))")
        }
        return nil
    }

    /// Inflates the pending input, up to one chunk.
    private func unpack(by inflater: Inflater) throws -> [UInt8] {
        do {
            return try inflater.next(&input, atMost: PlainByteSource.pieceByteCount)
        } catch {
            throw ArchiveError.damaged(what: "\(quoted(name)) cannot be unpacked")
        }
    }
}
