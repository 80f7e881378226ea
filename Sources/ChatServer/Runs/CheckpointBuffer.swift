// The text of a run that is not known to be in the database. A value: its tests are tables.

package import ChatCore

/// The end of a run's text, in parts that are being stored, and the text after them.
///
/// If the acknowledgement of a part was lost, it may be stored or not. So the same part is stored
/// again, and newer text becomes another part.
package struct CheckpointBuffer {
    /// A part of the text, with the tokens that led to it.
    package struct Part: Hashable, Sendable {
        /// Where it begins, in UTF-8 bytes of the answer.
        package var at: Int
        package var text = ""
        package var tokens: [Int32] = []
        /// The tokens with their probabilities, if the request wants them.
        package var answerTokens: [AnswerToken] = []

        package init(
            at: Int,
            text: String = "",
            tokens: [Int32] = [],
            answerTokens: [AnswerToken] = []
        ) {
            self.at = at
            self.text = text
            self.tokens = tokens
            self.answerTokens = answerTokens
        }
    }

    /// Maximum unacknowledged parts; newer text waits.
    package static let partsMax = 8

    private var parts: [Part] = []
    private var open: Part

    /// Creates a buffer for a text of which all `count` bytes are stored.
    package init(from count: Int) {
        open = Part(at: count)
    }

    /// Whether all text is stored.
    package var isEmpty: Bool { parts.isEmpty && open.text.isEmpty }

    /// Appends to the text.
    package mutating func append(
        _ text: String,
        _ tokens: [Int32],
        _ answerTokens: [AnswerToken] = []
    ) {
        open.text += text
        open.tokens += tokens
        open.answerTokens += answerTokens
    }

    /// The parts to store now, in order.
    package mutating func take() -> [Part] {
        if !open.text.isEmpty, parts.count < Self.partsMax {
            parts.append(open)
            open = Part(at: open.at + open.text.utf8.count)
        }
        return parts
    }

    /// Notes that the first `count` of the parts are stored.
    package mutating func confirm(_ count: Int) {
        parts.removeFirst(min(count, parts.count))
    }
}
