// Reads records from bytes, and verifies the checksum at the end.

import ChatProtocol
import Digests
import FoundationEssentials

/// Reads a transfer in Stoa's format. Checks the order of lines, and at the end their number and the
/// checksum.
public struct RecordReader {
    /// The first bytes of a file in Stoa's format, which no other system writes.
    public static let beginning = Array(#"{"type":"header""#.utf8)

    /// Limits on a line.
    public struct Limits: Sendable {
        /// Maximum line length in bytes.
        public var lineBytes: Int
        /// Maximum nesting depth of objects and arrays.
        public var depth: Int

        /// Limits with these values.
        public init(lineBytes: Int = 8 << 20, depth: Int = 16) {
            self.lineBytes = lineBytes
            self.depth = depth
        }
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    /// The start of the next line in the buffer, and how far the buffer was searched for its end.
    private var start = 0
    private var searched = 0
    private var isFinished = false
    private var lines = 0
    private var counts = TransferCounts()
    private var whole = SHA256()
    private var content = SHA256()
    private var hasEnded = false

    /// - Parameter limits: limits on a line.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Appends received bytes.
    public mutating func append(_ bytes: [UInt8]) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer += bytes
    }

    /// Marks the end of input: the last line must have been read.
    public mutating func finish() { isFinished = true }

    /// The next record; nil if more bytes are needed, and after the end.
    /// - Throws: `TransferError` if the line is invalid here.
    public mutating func next() throws(TransferError) -> TransferRecord? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.count
            guard buffer.count - start <= limits.lineBytes else { throw tooLong }
            guard !isFinished || hasEnded && start == buffer.count else { throw .incomplete }
            return nil
        }
        guard end - start <= limits.lineBytes else { throw tooLong }
        let line = buffer[start...end]
        start = end + 1
        searched = start
        return try record(of: line)
    }

    private var tooLong: TransferError {
        .limitExceeded("line \(lines + 1) is longer than \(limits.lineBytes) bytes")
    }

    /// Reads a line, including its line feed.
    private mutating func record(of line: ArraySlice<UInt8>) throws(TransferError) -> TransferRecord
    {
        let number = lines + 1
        guard JSONNesting.isWithin(limits.depth, line) else {
            throw .limitExceeded("line \(number) nests deeper than \(limits.depth)")
        }
        // The decoder would replace invalid bytes with U+FFFD.
        guard String(validating: line, as: UTF8.self) != nil else {
            throw .malformed(line: number, "is not UTF-8")
        }
        let record: TransferRecord
        do {
            record = try JSONDecoder().decode(TransferRecord.self, from: Data(line))
        } catch {
            if number == 1 { throw .unknownFormat("its first line is not a header") }
            throw .malformed(line: number, Self.sentence(error))
        }
        try check(record, at: number)
        guard case .end(let end) = record else {
            whole.update(line)
            if record.kind != .header { content.update(line) }
            lines += 1
            counts[record.kind] += 1
            return record
        }
        hasEnded = true
        let (whole, content) = (whole, content)
        guard end.lines == lines, end.counts == counts,
            end.sha256 == whole.finish().hexadecimal,
            end.contentSHA256 == content.finish().hexadecimal
        else { throw .damaged }
        return record
    }

    private func check(_ record: TransferRecord, at number: Int) throws(TransferError) {
        guard !hasEnded else { throw .malformed(line: number, "follows the end") }
        guard case .header(let header) = record else {
            guard number > 1 else { throw .unknownFormat("its first line is not a header") }
            return
        }
        guard number == 1 else { throw .malformed(line: number, "is a second header") }
        guard header.format == TransferHeader.stoaFormat else {
            throw .unknownFormat("its format is not \(TransferHeader.stoaFormat)")
        }
        guard (1...TransferHeader.currentVersion).contains(header.version) else {
            throw .unknownVersion(header.version)
        }
    }

    /// Names the invalid field, but not its value.
    private static func sentence(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "is no record" }
        switch error {
        case .keyNotFound(let key, _): return "lacks \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "has a \(path(context)) of the wrong type"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "is no JSON" : "has a malformed \(path(context))"
        @unknown default: return "is no record"
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
