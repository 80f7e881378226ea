// What the engines of a node have made of answers, counted on the loop in plain numbers.

import Inference

/// The engines' figures.
final class RunFigures {
    /// Tokens of prompts, also those that were not read again.
    private(set) var promptTokenCount = 0
    /// Those of them that were not read again: memory had them, or the disk.
    private(set) var cachedTokenCount = 0
    /// Tokens of answers.
    private(set) var answerTokenCount = 0
    /// Tokens of finished answers that were computed before they were drawn.
    private(set) var draftedTokenCount = 0
    /// Those of them that were drawn.
    private(set) var acceptedTokenCount = 0
    /// Answers that engines have finished, or that were stopped.
    private(set) var finishedCount = 0
    /// Answers on which an engine failed.
    private(set) var failedCount = 0

    /// Counts what an engine's step brought.
    func take(_ event: TokenEvent) {
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            promptTokenCount += promptTokens
            cachedTokenCount += cachedTokens
        case .text(_, _, let tokens): answerTokenCount += tokens.count
        case .finished(_, let completion):
            finishedCount += 1
            draftedTokenCount += completion.draftedTokens
            acceptedTokenCount += completion.acceptedTokens
        case .failed: failedCount += 1
        case .progress: break
        }
    }
}
