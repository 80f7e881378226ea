// The tokens of an answer's text that has a thinking part: its tags are tokens of their own in models
// that have such, as the model wrote them.

public import Checkpoints
import ThinkingText

extension Tokenizer {
    /// The tokens of a tag of thinking parts: one in models that have it as a token, otherwise those of
    /// its text.
    /// - Parameter tag: one of `ThinkingTags`.
    /// - Returns: the tokens.
    public func thinkingTag(_ tag: String) -> [TokenID] {
        if let token = finder.tokens.last(where: { $0.content == tag }) { return [token.id] }
        return encode(tag, specialTokens: .asText)
    }

    /// Encodes the beginning of an answer that the model continues. Where the tags of its thinking part
    /// stand, and nowhere else, they are the model's tokens.
    /// - Parameters:
    ///   - answer: the text.
    ///   - encode: encodes text without tags.
    /// - Returns: the tokens.
    public func encodeThinking(
        _ answer: String,
        _ encode: (String) -> [TokenID]
    ) -> [TokenID] {
        guard answer.utf8.starts(with: ThinkingTags.opening.utf8) else { return encode(answer) }
        let opening = thinkingTag(ThinkingTags.opening)
        let rest = String(answer.dropFirst(ThinkingTags.opening.count))
        guard let closing = rest.firstRange(of: ThinkingTags.closing) else {
            return opening + encode(rest)
        }
        return opening + encode(String(rest[..<closing.lowerBound]))
            + thinkingTag(ThinkingTags.closing) + encode(String(rest[closing.upperBound...]))
    }
}
