// Events of requests, in order.

public import Checkpoints

/// An event of a request. A submitted request gets `.started` when it is admitted to a slot, then
/// `.progress` while a long prompt is read, then `.text` during decoding, and at the end exactly
/// one of `.finished` and `.failed`. A request that ends before it is admitted gets only its last
/// event.
public enum TokenEvent: Sendable, Hashable {
    /// The request has a slot. `cachedTokens` of the prompt are cached.
    case started(id: UInt64, promptTokens: Int, cachedTokens: Int)
    /// `done` of `total` prompt tokens are read; only between the chunks of a long prompt.
    case progress(id: UInt64, done: Int, total: Int)
    /// New text of the answer: whole characters, never empty. `tokens` are those generated since
    /// the previous text; passed as `answerPrefix`, all tokens so far continue exactly after this
    /// text. Remote engines tell none. `sampled` are the same tokens with their probabilities, if
    /// the request wants them, without the one that ends the turn.
    case text(id: UInt64, text: String, tokens: [TokenID], sampled: [SampledToken] = [])
    /// The answer is complete.
    case finished(id: UInt64, completion: Completion)
    /// The answer could not be completed.
    case failed(id: UInt64, error: EngineError)

    /// The id of the request.
    public var id: UInt64 {
        switch self {
        case .started(let id, _, _), .progress(let id, _, _), .text(let id, _, _, _),
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
