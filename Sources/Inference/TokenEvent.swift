// What an engine tells about its requests, in order.

public import Checkpoints

/// One piece of news about one request. A request that was submitted gets: `.started` when it is
/// admitted to a slot, then `.progress` while a long prompt is read, then `.text` while the answer
/// grows, and at the end exactly one of `.finished` and `.failed`. A request that ends before it is
/// admitted gets its last event alone.
public enum TokenEvent: Sendable, Hashable {
    /// The request has a slot. `cachedTokens` of the prompt need not be computed again.
    case started(id: UInt64, promptTokens: Int, cachedTokens: Int)
    /// `done` of `total` prompt tokens are read; only between the chunks of a long prompt.
    case progress(id: UInt64, done: Int, total: Int)
    /// The answer grew by `text`: whole characters, never empty. `tokens` are those that were
    /// generated since the text before; given as `answerPrefix`, all tokens so far lead on from
    /// exactly this text.
    case text(id: UInt64, text: String, tokens: [TokenID])
    /// The answer is complete.
    case finished(id: UInt64, completion: Completion)
    /// The answer could not be completed.
    case failed(id: UInt64, error: EngineError)

    /// The request that this is about.
    public var id: UInt64 {
        switch self {
        case .started(let id, _, _), .progress(let id, _, _), .text(let id, _, _),
            .finished(let id, _), .failed(let id, _):
            id
        }
    }

    /// Whether this is the request's last event.
    public var isLast: Bool {
        switch self {
        case .finished, .failed: true
        case .started, .progress, .text: false
        }
    }
}
