// The range of a file that a response contains.

import HTTPProtocol

/// The range that a response's header announces.
struct AnsweredRange {
    private let start: Int
    private let end: Int?
    /// The whole file's length in bytes, if the host states it.
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
            // A contradictory range matches no request.
            (start, end, total) = (-1, nil, nil)
            return
        }
        (start, end, total) = (ends[0], ends[1] + 1, Int(parts[1]))
    }

    /// A host may send fewer bytes than requested, but not other bytes or another file's.
    /// - Throws: `wrongRange`.
    func check(asked range: Range<Int>, of file: RepositoryFile) throws(HubError) {
        guard start == range.lowerBound, (end ?? range.upperBound) <= range.upperBound else {
            throw .wrongRange(file: file.path, "other bytes than requested were received")
        }
        guard (total ?? file.byteCount) == file.byteCount else {
            throw .wrongRange(file: file.path, "its length differs from the announced one")
        }
    }
}
