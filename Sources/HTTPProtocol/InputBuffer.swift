// Bytes that were received and not understood yet. The parsers take whole lines or pieces of a body
// out of it; what is incomplete waits here. It searches each byte for a line end once, so that a
// peer that sends byte by byte costs no more than one that sends all at once.

/// A queue of bytes with a search for line ends.
struct InputBuffer {
    /// What a search for a line found.
    enum Line {
        /// The line, without its CR LF.
        case line([UInt8])
        /// No line end yet.
        case incomplete
        /// More bytes than allowed before a line end.
        case tooLong
        /// A line end that is not CR LF, or a CR in the middle of the line. Taking either for a
        /// line end is what smuggling lives on.
        case malformed
    }

    /// Storage above this many bytes is given back when the queue runs empty, so that a thousand
    /// idle connections don't each keep what their largest read needed.
    private static let keptBytesMax = 4096

    private var storage: [UInt8] = []
    /// The first byte that was not taken.
    private var start = 0
    /// How many bytes from `start` are known to hold no line end.
    private var searched = 0

    /// How many bytes wait.
    var count: Int { storage.count - start }
    /// Whether no byte waits.
    var isEmpty: Bool { count == 0 }

    /// Adds `bytes` at the end.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // What moves is at most as long as what was taken since the last move.
        if start > 0, start >= count {
            storage.removeSubrange(..<start)
            start = 0
        }
        storage.append(contentsOf: bytes)
    }

    /// Takes the next line, which has at most `max` bytes without its end.
    mutating func takeLine(max: Int) -> Line {
        let searchEnd = min(storage.count, start + Swift.max(max, 0) + 2)
        let unseen = storage[min(start + searched, searchEnd)..<searchEnd]
        guard let lineFeed = unseen.firstIndex(of: UInt8(ascii: "\n")) else {
            if count >= max + 2 { return .tooLong }
            searched = searchEnd - start
            return .incomplete
        }
        let line = storage[start..<lineFeed]
        guard line.last == UInt8(ascii: "\r"), !line.dropLast().contains(UInt8(ascii: "\r")) else {
            return .malformed
        }
        let content = Array(line.dropLast())
        advance(to: lineFeed + 1)
        return .line(content)
    }

    /// Takes the next byte where it is `byte`.
    mutating func take(_ byte: UInt8) -> Bool {
        guard start < storage.count, storage[start] == byte else { return false }
        advance(to: start + 1)
        return true
    }

    /// Takes up to `max` bytes.
    mutating func take(max: Int) -> [UInt8] {
        if start == 0, storage.count <= max {
            // The usual case of a body: hand over the storage itself.
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
            storage.removeAll(keepingCapacity: storage.capacity <= Self.keptBytesMax)
            start = 0
        }
    }
}
