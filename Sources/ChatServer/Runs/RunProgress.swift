// The progress of a run of this node, as its engine reports it.

import Inference

/// The progress of one run.
struct RunProgress {
    /// Tokens of the prompt.
    var promptTokens: Int
    /// Prompt tokens that have been read.
    var read: Int
    /// Tokens of the answer.
    var written = 0
    /// When the engine last sent an event.
    var heardAt: ContinuousClock.Instant

    /// Applies an engine's event at `time`.
    mutating func take(_ event: TokenEvent, at time: ContinuousClock.Instant) {
        switch event {
        case .progress(_, let done, _): read = done
        case .text(_, _, let tokens, _):
            read = promptTokens
            written += tokens.count
        case .started, .finished, .failed: break
        }
        heardAt = time
    }
}
