// A file of an archive, checked against the directory while it is read.

import CZlib
import JSONText

/// Passes bytes on, at most as many as announced, and compares their CRC-32 at the end.
final class CheckedEntryStream: ByteSource {
    private let content: any ByteSource
    private let entry: ZIPEntry
    private let budget: ArchiveBudget
    private var byteCount: Int64 = 0
    private var checksum: UInt = crc32(0, nil, 0)

    init(_ content: any ByteSource, _ entry: ZIPEntry, _ budget: ArchiveBudget) {
        self.content = content
        self.entry = entry
        self.budget = budget
    }

    func next() throws -> [UInt8]? {
        guard let piece = try content.next() else {
            guard byteCount == entry.byteCount else {
                throw ArchiveError.damaged(what: "\(quoted(entry.name)) ends too early")
            }
            guard UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
                throw ArchiveError.checksumMismatch(entry.name)
            }
            return nil
        }
        byteCount += Int64(piece.count)
        guard byteCount <= entry.byteCount else {
            throw ArchiveError.damaged(what: "\(quoted(entry.name)) is larger than it says")
        }
        try budget.spend(piece.count)
        checksum = piece.withUnsafeBufferPointer {
            crc32(checksum, $0.baseAddress, UInt32($0.count))
        }
        return piece
    }
}
