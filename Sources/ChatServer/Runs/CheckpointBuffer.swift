// What of a run's text is not known to be in the database. A value: its tests are tables.

/// The end of a run's text, in parts that are given to the database, and what came after them.
///
/// A part whose acknowledgement was lost may be stored or not, so it is given again as it was, and what came
/// since is a part of its own.
package struct CheckpointBuffer {
    /// A part of the text, with the tokens that led to it.
    package struct Part: Hashable, Sendable {
        /// Where it begins, in UTF-8 bytes of the answer.
        package var at: Int
        package var text = ""
        package var tokens: [Int32] = []

        package init(at: Int, text: String = "", tokens: [Int32] = []) {
            self.at = at
            self.text = text
            self.tokens = tokens
        }
    }

    /// The most parts that are given and not acknowledged; what comes then waits.
    package static let partsMax = 8

    private var parts: [Part] = []
    private var open: Part

    /// All of a text of `count` bytes is stored.
    package init(from count: Int) {
        open = Part(at: count)
    }

    /// Whether all is stored.
    package var isEmpty: Bool { parts.isEmpty && open.text.isEmpty }

    /// Adds to the text.
    package mutating func append(_ text: String, _ tokens: [Int32]) {
        open.text += text
        open.tokens += tokens
    }

    /// The parts to store now, in order.
    package mutating func take() -> [Part] {
        if !open.text.isEmpty, parts.count < Self.partsMax {
            parts.append(open)
            open = Part(at: open.at + open.text.utf8.count)
        }
        return parts
    }

    /// The first `count` of the parts are stored.
    package mutating func confirm(_ count: Int) {
        parts.removeFirst(min(count, parts.count))
    }
}
