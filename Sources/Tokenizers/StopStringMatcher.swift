// Ends an answer at a text that the caller named, and shows nothing of that text before it is
// certain: what could be the beginning of a stop string is held back.

/// Looks for stop strings in text that comes in pieces.
///
/// The stop string that ends first counts, of several ones that end together the longest; so the
/// result does not depend on how the text was cut. Texts are compared byte by byte.
public struct StopStringMatcher: Sendable {
    /// What a piece of text led to.
    public struct Output: Sendable, Equatable {
        /// Text that certainly comes before any stop string.
        public var text: String
        /// The stop string that was hit. All text before it has been given out, and nothing
        /// follows.
        public var hit: String?
    }

    /// A stop string with how far the text so far ends with its beginning (Knuth, Morris, Pratt).
    private struct Pattern {
        let bytes: [UInt8]
        /// For each matched length: the length of the longest proper beginning that is also its
        /// end.
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

        /// Takes the next byte; whether the stop string is complete.
        mutating func advance(_ byte: UInt8) -> Bool {
            while matchedCount > 0, bytes[matchedCount] != byte {
                matchedCount = borders[matchedCount]
            }
            if bytes[matchedCount] == byte { matchedCount += 1 }
            return matchedCount == bytes.count
        }
    }

    private var patterns: [Pattern]
    /// Text that may be the beginning of a stop string.
    private var held: [UInt8] = []
    private var isDone = false

    /// A matcher of `stopStrings`; empty ones are ignored.
    public init(_ stopStrings: [String]) {
        patterns = stopStrings.filter { !$0.isEmpty }.map(Pattern.init)
    }

    /// Takes the next piece of the text. After a hit everything is swallowed.
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

    /// The text that was held back, once nothing follows.
    public mutating func finish() -> String {
        isDone ? "" : take(held.count)
    }

    private mutating func take(_ count: Int) -> String {
        defer { held.removeFirst(count) }
        return String(decoding: held[..<count], as: UTF8.self)
    }
}
