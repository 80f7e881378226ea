// Received bytes that are not parsed yet. Parsers take whole lines or pieces of a body. Each byte
// is searched for a line end once, so that a peer that sends byte by byte costs no more than one
// that sends everything at once.

/// A queue of bytes with a search for line ends.
struct InputBuffer {
    /// The result of a search for a line.
    enum Line<Content> {
        /// The line without its CR LF, or what was parsed from it.
        case line(Content)
        /// No line end yet.
        case incomplete
        /// More bytes than allowed before a line end.
        case tooLong
        /// A line end other than CR LF, or a CR inside the line. Accepting them would allow request
        /// smuggling.
        case malformed
    }

    /// Storage larger than this is freed when the buffer becomes empty, so that idle connections do
    /// not keep the size of their largest read.
    private static let retainedBytesMax = 4096

    private var storage: [UInt8] = []
    /// The offset of the first unread byte.
    private var start = 0
    /// The number of bytes from `start` without a line end.
    private var searched = 0

    /// The number of unread bytes.
    var count: Int { storage.count - start }
    /// Whether there are no unread bytes.
    var isEmpty: Bool { count == 0 }

    /// Adds `bytes` at the end.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // Moves at most as many bytes as were taken since the last move.
        if start > 0, start >= count {
            storage.removeSubrange(..<start)
            start = 0
        }
        storage.append(contentsOf: bytes)
    }

    /// Takes a copy of the next line, which has at most `max` bytes without its end.
    mutating func takeLine(max: Int) -> Line<[UInt8]> {
        switch findLine(max: max) {
        case .line(let range):
            defer { advance(to: range.upperBound + 2) }
            return .line(Array(storage[range]))
        case .incomplete: return .incomplete
        case .tooLong: return .tooLong
        case .malformed: return .malformed
        }
    }

    /// Takes what `parse` makes of the next line, which has at most `max` bytes without its end.
    mutating func takeLine<Content>(
        max: Int,
        _ parse: (Span<UInt8>) throws(HTTPError) -> Content
    ) throws(HTTPError) -> Line<Content> {
        switch findLine(max: max) {
        case .line(let range):
            let content = try parse(storage.span.extracting(range))
            advance(to: range.upperBound + 2)
            return .line(content)
        case .incomplete: return .incomplete
        case .tooLong: return .tooLong
        case .malformed: return .malformed
        }
    }

    /// The next line, without its end.
    private mutating func findLine(max: Int) -> Line<Range<Int>> {
        let searchEnd = min(storage.count, start + Swift.max(max, 0) + 2)
        let lineFeed = storage.span.extracting(..<searchEnd)
            .firstIndex(of: UInt8(ascii: "\n"), from: start + searched)
        guard let lineFeed else {
            if count >= max + 2 { return .tooLong }
            searched = searchEnd - start
            return .incomplete
        }
        let line = storage.span.extracting(..<lineFeed)
        guard line.firstIndex(of: UInt8(ascii: "\r"), from: start) == lineFeed - 1 else {
            return .malformed
        }
        return .line(start..<(lineFeed - 1))
    }

    /// Takes the next byte if it is `byte`.
    mutating func take(_ byte: UInt8) -> Bool {
        guard start < storage.count, storage[start] == byte else { return false }
        advance(to: start + 1)
        return true
    }

    /// Takes up to `max` bytes.
    mutating func take(max: Int) -> [UInt8] {
        if start == 0, storage.count <= max {
            // The usual case for a body: returns the storage without copying.
            let taken = storage
            self = InputBuffer()
            return taken
        }
        let end = start + min(count, max)
        let taken = Array(storage[start..<end])
        advance(to: end)
        return taken
    }

    /// Takes everything.
    mutating func takeAll() -> [UInt8] { take(max: count) }

    private mutating func advance(to index: Int) {
        start = index
        searched = 0
        if start == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= Self.retainedBytesMax)
            start = 0
        }
    }
}
