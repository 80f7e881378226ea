// Stop strings: they end an answer and are not shown, so text that may be the start of one is held
// back.

/// Finds stop strings in text that arrives in pieces.
///
/// The stop string that ends first is used, of several that end at the same position the longest;
/// so the result does not depend on how the text is split. Texts are compared by bytes.
public struct StopStringMatcher: Sendable {
    /// The result of a piece of text.
    public struct Output: Sendable, Equatable {
        /// Text before any stop string.
        public var text: String
        /// The stop string that was found. All text before it has been returned, and nothing
        /// follows.
        public var hit: String?
    }

    /// A stop string, and how much of it the text ends with (Knuth, Morris, Pratt).
    private struct Pattern {
        let bytes: [UInt8]
        /// For each matched length: the length of the longest proper prefix that is also a suffix.
        let borders: [Int]
        var matchedCount = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
            var borders = [0, 0]
            for index in bytes.indices.dropFirst() {
                var length = borders[index]
                while length > 0, bytes[length] != bytes[index] { length = borders[length] }
                borders.append(bytes[length] == bytes[index] ? length + 1 : 0)
            }
            self.borders = borders
        }

        /// Consumes the next byte; returns whether the stop string is complete.
        mutating func advance(_ byte: UInt8) -> Bool {
            while matchedCount > 0, bytes[matchedCount] != byte {
                matchedCount = borders[matchedCount]
            }
            if bytes[matchedCount] == byte { matchedCount += 1 }
            return matchedCount == bytes.count
        }
    }

    private var patterns: [Pattern]
    /// Text that may be the start of a stop string.
    private var held: [UInt8] = []
    private var isDone = false

    /// Creates a matcher; empty stop strings are ignored.
    public init(_ stopStrings: [String]) {
        patterns = stopStrings.filter { !$0.isEmpty }.map(Pattern.init)
    }

    /// Consumes the next piece of text. After a stop string everything is discarded.
    public mutating func append(_ text: String) -> Output {
        if isDone { return Output(text: "", hit: nil) }
        if patterns.isEmpty { return Output(text: text, hit: nil) }
        for byte in text.utf8 {
            held.append(byte)
            var hit: Pattern?
            for index in patterns.indices where patterns[index].advance(byte) {
                if patterns[index].bytes.count > hit?.bytes.count ?? 0 { hit = patterns[index] }
            }
            if let hit {
                isDone = true
                return Output(
                    text: take(held.count - hit.bytes.count),
                    hit: String(decoding: hit.bytes, as: UTF8.self)
                )
            }
        }
        let heldCount = patterns.map(\.matchedCount).max() ?? 0
        return Output(text: take(held.count - heldCount), hit: nil)
    }

    /// Returns the text that was held back, at the end of the answer.
    public mutating func finish() -> String {
        isDone ? "" : take(held.count)
    }

    private mutating func take(_ count: Int) -> String {
        defer { held.removeFirst(count) }
        return String(decoding: held[..<count], as: UTF8.self)
    }
}
