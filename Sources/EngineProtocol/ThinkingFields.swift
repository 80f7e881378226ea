// Engines that recognize thinking parts send them in a field of their own, without tags. Here the tags are
// put around them again, so that an answer's text is what its model wrote.

import ThinkingText

/// Puts a thinking part and an answer together.
struct ThinkingFields: Sendable {
    private enum Phase {
        /// Nothing was sent yet.
        case start
        /// The text before this stream ends within a thinking part, whose opening tag it has.
        case continued
        /// Within a thinking part that the engine sends in its field.
        case thinking
        /// What follows is the answer.
        case answer
    }

    private var phase: Phase

    /// - Parameters:
    ///   - isContinued: whether the answer has text already.
    ///   - isThinking: whether that text ends within its thinking part.
    init(isContinued: Bool, isThinking: Bool) {
        phase = isThinking ? .continued : isContinued ? .answer : .start
    }

    /// The text that an event adds.
    /// - Parameters:
    ///   - thinking: the text in the field for thinking.
    ///   - text: the text of the answer.
    /// - Returns: both, with tags where they belong. Thoughts within an answer are left out.
    mutating func text(thinking: String, text: String) -> String {
        var whole = ""
        if !thinking.isEmpty, phase != .answer {
            if phase == .start { whole += ThinkingTags.opening }
            phase = .thinking
            whole += thinking
        }
        guard !text.isEmpty else { return whole }
        switch phase {
        case .thinking:
            whole += ThinkingTags.closing
            phase = .answer
        case .start: phase = .answer
        // An engine that sends no fields goes on with the part, and ends it by its tag.
        case .continued, .answer: break
        }
        return whole + text
    }
}
