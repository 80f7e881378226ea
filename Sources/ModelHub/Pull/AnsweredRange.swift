// Which bytes of a file a host says it sends.

import HTTPProtocol

/// The range that a response with a file's bytes announces.
struct AnsweredRange {
    private let start: Int
    private let end: Int?
    /// The whole file's length, where the host says it.
    private let total: Int?

    init(_ exchange: HubExchange) {
        let length = exchange.contentLength
        guard exchange.head.status == .partialContent else {
            (start, end, total) = (0, length, length)
            return
        }
        // "bytes 0-99/300" or "bytes 0-99/*", RFC 9110 section 14.4.
        let value = exchange.head.headers[.contentRange] ?? ""
        let parts = value.dropFirst("bytes ".count).split(separator: "/")
        let ends = parts.first?.split(separator: "-").compactMap { Int($0) } ?? []
        guard value.hasPrefix("bytes "), parts.count == 2, ends.count == 2, ends[0] <= ends[1],
            length == nil || length == ends[1] - ends[0] + 1
        else {
            // A range that contradicts itself fits to nothing.
            (start, end, total) = (-1, nil, nil)
            return
        }
        (start, end, total) = (ends[0], ends[1] + 1, Int(parts[1]))
    }

    /// A host may send less than was asked for, never other bytes, or bytes of another file.
    /// - Throws: `wrongRange`.
    func check(asked range: Range<Int>, of file: RepositoryFile) throws(HubError) {
        guard start == range.lowerBound, (end ?? range.upperBound) <= range.upperBound else {
            throw .wrongRange(file: file.path, "other bytes came than were asked for")
        }
        guard (total ?? file.byteCount) == file.byteCount else {
            throw .wrongRange(file: file.path, "its length is not the one that the hub announced")
        }
    }
}
