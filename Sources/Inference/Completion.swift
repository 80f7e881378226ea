// The end of an answer and its statistics.

/// The statistics of a finished answer, named as in OpenAI's usage object where possible.
public struct Completion: Sendable, Hashable {
    /// Why it ended.
    public var finish: FinishReason
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Prompt tokens that were cached.
    public var cachedTokens: Int
    /// Generated tokens, including the one that ended the turn.
    public var completionTokens: Int
    /// Time from `submit` to the first token, including waiting; nil without a token.
    public var timeToFirstToken: Duration?
    /// Decoding speed: tokens after the first one per time from the first to the last; nil below
    /// two tokens.
    public var tokensPerSecond: Double?
    /// Tokens of the thinking part, between its tags; nil without one. Part of `completionTokens`.
    public var thinkingTokens: Int?
    /// Time from the first token to the end of the thinking part, as far as this run wrote it.
    public var thinkingTime: Duration?
    /// Draft tokens that were computed, and those of them that were accepted. They affect only the
    /// speed.
    public var draftedTokens: Int
    /// See `draftedTokens`.
    public var acceptedTokens: Int
    /// The receipt of the run; nil if it ended before it had a slot, or the engine creates none.
    public var receipt: RunReceipt?
    /// Which remote engine generated the answer; nil if one of this process did.
    public var remote: RemoteRecord?

    /// Creates a completion.
    public init(
        finish: FinishReason,
        promptTokens: Int,
        cachedTokens: Int = 0,
        completionTokens: Int = 0,
        timeToFirstToken: Duration? = nil,
        tokensPerSecond: Double? = nil,
        draftedTokens: Int = 0,
        acceptedTokens: Int = 0,
        receipt: RunReceipt? = nil,
        remote: RemoteRecord? = nil
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
        self.remote = remote
    }
}
