// How far a run of this node is, as its engine says.

import Inference

/// The progress of one run.
struct RunProgress {
    /// Tokens of the prompt.
    var promptTokens: Int
    /// Those that are read.
    var read: Int
    /// Tokens of the answer.
    var written = 0
    /// When the engine last said something.
    var heardAt: ContinuousClock.Instant

    /// Takes what the engine said at `time`.
    mutating func take(_ event: TokenEvent, at time: ContinuousClock.Instant) {
        switch event {
        case .progress(_, let done, _): read = done
        case .text(_, _, let tokens):
            read = promptTokens
            written += tokens.count
        case .started, .finished, .failed: break
        }
        heardAt = time
    }
}
