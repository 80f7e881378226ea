// How far an answer of this node's is, as its engine tells.

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
}
