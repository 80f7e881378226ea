// The parts of an answer whose text is known, as far as it is written.

/// An answer's text in its parts.
public struct ThinkingParts: Sendable, Hashable {
    /// What the model thought, without tags; nil for an answer without a thinking part.
    public let thinking: String?
    /// What it answered; empty while it thinks, and if it ended before it answered.
    public let answer: String
    /// Whether the thinking part has no end yet.
    public let isOpen: Bool
    /// Where `answer` begins in the text, in UTF-8 bytes.
    public let answerStart: Int

    /// Splits the text of an answer.
    public init(_ text: String) {
        guard text.utf8.starts(with: ThinkingTags.opening.utf8) else {
            (thinking, answer, isOpen, answerStart) = (nil, text, false, 0)
            return
        }
        var splitter = ThinkingSplitter()
        let pieces = splitter.append(text)
        isOpen = splitter.isThinking
        let all = pieces + splitter.finish()
        thinking = all.filter { $0.part == .thinking }.map(\.text).joined()
        answer = all.filter { $0.part == .answer }.map(\.text).joined()
        answerStart = all.first { $0.part == .answer }?.at ?? text.utf8.count
    }

    /// The text of an answer without its thinking part.
    public static func answer(of text: String) -> String { ThinkingParts(text).answer }
}
