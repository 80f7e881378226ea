// The input of a pass, and its errors.

public import Checkpoints

/// One sequence in a pass.
public struct SequenceStep {
    /// The tokens that follow those in the cache; at least one.
    public var tokens: [TokenID]
    /// The sequence's cache; the pass appends to it.
    public var cache: KeyValueCache
    /// The number of last tokens after which logits are requested; a pass that only reads a prompt
    /// computes none.
    public var logitsCount: Int
    /// The adapter that changes the model for this sequence, in all of its steps; nil for none.
    public var adapter: Adapter?

    /// Creates a step of the sequence in `cache`, with the logits after this number of its last
    /// tokens.
    public init(
        tokens: [TokenID],
        cache: KeyValueCache,
        logitsCount: Int,
        adapter: Adapter? = nil
    ) {
        self.tokens = tokens
        self.cache = cache
        self.logitsCount = logitsCount
        self.adapter = adapter
    }

    /// Creates a step of the sequence in `cache`, optionally with the logits after its last token.
    public init(
        tokens: [TokenID],
        cache: KeyValueCache,
        wantsLogits: Bool,
        adapter: Adapter? = nil
    ) {
        self.init(
            tokens: tokens,
            cache: cache,
            logitsCount: wantsLogits ? 1 : 0,
            adapter: adapter
        )
    }
}

/// Why a pass or a cache was refused; nothing has changed then.
public enum ForwardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A token without a row in the model's embedding.
    case tokenOutOfRange(TokenID, vocabularyCount: Int)
    /// A sequence that exceeds the capacity of its cache.
    case cacheFull(capacity: Int, needed: Int)
    /// More tokens in one pass than the session was made for.
    case batchTooLarge(count: Int, limit: Int)
    /// There is not enough memory for a cache.
    case outOfMemory(byteCount: Int)

    /// One sentence.
    public var description: String {
        switch self {
        case .tokenOutOfRange(let token, let count):
            "the token \(token) is outside the model's vocabulary of \(count)"
        case .cacheFull(let capacity, let needed):
            "a sequence of \(needed) tokens does not fit its cache of \(capacity)"
        case .batchTooLarge(let count, let limit):
            "\(count) tokens in one pass are more than the limit of \(limit)"
        case .outOfMemory(let byteCount):
            "the system gives no memory for a cache of \(byteCount) bytes"
        }
    }
}
