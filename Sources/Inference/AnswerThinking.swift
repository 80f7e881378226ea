// Follows the thinking part of a running answer, and closes it when its budget is used up. A value that
// depends only on the answer's tokens: one that has read the same tokens is in the same state.

import Checkpoints
import ThinkingText
import Tokenizers

/// The thinking part of a running answer.
struct AnswerThinking {
    private var decoder: StreamingDecoder
    private var splitter = ThinkingSplitter()
    /// Whether no thinking part can follow.
    private var isOver = false
    /// Maximum number of its tokens; nil for no limit.
    private let tokensMax: Int?
    /// The tokens of the closing tag.
    private let closing: [TokenID]
    /// How many of them have been forced.
    private var closedCount = 0
    /// The number of tokens between the tags.
    private(set) var tokenCount = 0

    /// - Parameters:
    ///   - tokenizer: the tokenizer of the model.
    ///   - tokensMax: maximum number of tokens between the tags; nil for no limit.
    init(_ tokenizer: Tokenizer, tokensMax: Int?) {
        decoder = StreamingDecoder(tokenizer)
        self.tokensMax = tokensMax
        closing = tokensMax == nil ? [] : tokenizer.thinkingTag(ThinkingTags.closing)
    }

    /// Whether the answer has a thinking part.
    var exists: Bool { splitter.hasThinking }

    /// The token that must be next, as the budget is used up; nil if the model may choose. A part is not
    /// closed within a character.
    var forcedToken: TokenID? {
        guard let tokensMax, splitter.isThinking, closedCount < closing.count,
            closedCount > 0 || tokenCount >= tokensMax && decoder.isBetweenCharacters
        else { return nil }
        return closing[closedCount]
    }

    /// Reads the answer's next token.
    /// - Returns: whether it belongs to the thinking part or is one of its tags.
    mutating func append(_ token: TokenID) -> Bool {
        if isOver { return false }
        let isForced = token == forcedToken
        closedCount = isForced ? closedCount + 1 : 0
        let wasThinking = splitter.isThinking
        _ = splitter.append(decoder.append(token))
        if wasThinking, splitter.isThinking, !isForced { tokenCount += 1 }
        let isPart = wasThinking || splitter.isThinking
        isOver = splitter.isDecided && !splitter.isThinking
        return isPart
    }
}
