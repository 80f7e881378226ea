// What one pass is asked to do, and why it may refuse.

public import Checkpoints

/// One sequence's part in a pass.
public struct SequenceStep {
    /// The tokens that follow those in the cache; at least one.
    public var tokens: [TokenID]
    /// The sequence's cache; the pass appends to it.
    public var cache: KeyValueCache
    /// How many of the tokens, the last ones, the logits are wanted after; a pass that only reads a
    /// prompt spares them.
    public var logitsCount: Int

    /// A step of the sequence in `cache`, with the logits after so many of its last tokens.
    public init(tokens: [TokenID], cache: KeyValueCache, logitsCount: Int) {
        self.tokens = tokens
        self.cache = cache
        self.logitsCount = logitsCount
    }

    /// A step of the sequence in `cache`, perhaps with the logits after its last token.
    public init(tokens: [TokenID], cache: KeyValueCache, wantsLogits: Bool) {
        self.init(tokens: tokens, cache: cache, logitsCount: wantsLogits ? 1 : 0)
    }
}

/// Why a pass or a cache is refused; nothing has changed then.
public enum ForwardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A token that the model's embedding has no row for.
    case tokenOutOfRange(TokenID, vocabularyCount: Int)
    /// A sequence that its cache has no room for.
    case cacheFull(capacity: Int, needed: Int)
    /// More tokens in one pass than the session was made for.
    case batchTooLarge(count: Int, limit: Int)
    /// The system gives no memory for a cache.
    case outOfMemory(byteCount: Int)

    /// One sentence for a person.
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
