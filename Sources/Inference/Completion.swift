// How an answer ended, and what it took.

/// The figures of a finished answer, named as in OpenAI's usage object where that has them.
public struct Completion: Sendable, Hashable {
    /// Why it ended.
    public var finish: FinishReason
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Tokens of the prompt that were not computed again.
    public var cachedTokens: Int
    /// Tokens that were generated; the token that ended the turn counts.
    public var completionTokens: Int
    /// From `submit` to the first token, waiting included; nil without a token.
    public var timeToFirstToken: Duration?
    /// Tokens after the first one, by the time from the first to the last; nil below two tokens.
    public var tokensPerSecond: Double?
    /// Tokens that were guessed and computed before it was known whether they come, and those of
    /// them that came. They change nothing but the pace.
    public var draftedTokens: Int
    /// See `draftedTokens`.
    public var acceptedTokens: Int
    /// The run's full record; nil where it ended before it had a slot, or an engine elsewhere keeps
    /// none.
    public var receipt: RunReceipt?

    /// The figures of an answer.
    public init(
        finish: FinishReason,
        promptTokens: Int,
        cachedTokens: Int = 0,
        completionTokens: Int = 0,
        timeToFirstToken: Duration? = nil,
        tokensPerSecond: Double? = nil,
        draftedTokens: Int = 0,
        acceptedTokens: Int = 0,
        receipt: RunReceipt? = nil
    ) {
        self.finish = finish
        self.promptTokens = promptTokens
        self.cachedTokens = cachedTokens
        self.completionTokens = completionTokens
        self.timeToFirstToken = timeToFirstToken
        self.tokensPerSecond = tokensPerSecond
        self.draftedTokens = draftedTokens
        self.acceptedTokens = acceptedTokens
        self.receipt = receipt
    }
}
