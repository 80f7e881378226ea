// The probabilities of a token and of the likeliest ones at its place, for requests that want them.
//
// They are of the model's own distribution: before temperature, penalties and biases, as vLLM's
// default `raw_logprobs` and OpenAI's.

public import Checkpoints

/// A token and the natural logarithm of its probability.
public struct RatedToken: Sendable, Hashable {
    /// The token.
    public var token: TokenID
    /// The logarithm.
    public var logprob: Float

    /// Creates a rated token.
    public init(token: TokenID, logprob: Float) {
        self.token = token
        self.logprob = logprob
    }
}

/// A token of an answer, and the likeliest ones at its place.
public struct SampledToken: Sendable, Hashable {
    /// The token.
    public var token: RatedToken
    /// As many as the request wants, likeliest first.
    public var top: [RatedToken]

    /// Creates a sampled token.
    public init(token: RatedToken, top: [RatedToken]) {
        self.token = token
        self.top = top
    }
}
