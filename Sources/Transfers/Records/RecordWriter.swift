// Writes records as bytes.

import ChatProtocol
import Digests

/// Writes a transfer line by line, with counts and checksums at the end.
public struct RecordWriter {
    private var lines = 0
    private var counts = TransferCounts()
    private var whole = SHA256()
    private var content = SHA256()

    /// A transfer without any record yet.
    public init() {}

    /// A record's line, which becomes part of the transfer.
    /// - Parameter record: any but the end; the header comes first.
    /// - Returns: its JSON and a line feed.
    public mutating func line(_ record: TransferRecord) -> [UInt8] {
        var line = DirectionMarks.escaped(inJSON: WireEncoding.text(record))
        line.append(UInt8(ascii: "\n"))
        lines += 1
        counts[record.kind] += 1
        whole.update(line)
        if record.kind != .header { content.update(line) }
        return line
    }

    /// The last line.
    /// - Returns: its JSON and a line feed.
    public mutating func end() -> [UInt8] {
        let end = TransferEnd(
            lines: lines,
            counts: counts,
            sha256: whole.finish().hexadecimal,
            contentSHA256: content.finish().hexadecimal
        )
        return WireEncoding.text(TransferRecord.end(end)) + [UInt8(ascii: "\n")]
    }
}
