// Counters of the work of a node's engines, as plain numbers updated on the loop.

import Inference

/// The engines' counters.
final class RunFigures {
    /// Prompt tokens, including cached ones.
    private(set) var promptTokenCount = 0
    /// Prompt tokens that were found in the KV cache, in memory or on disk.
    private(set) var cachedTokenCount = 0
    /// Tokens of answers.
    private(set) var answerTokenCount = 0
    /// Tokens of answers by model, of remote models pieces of text.
    private(set) var answerTokensByModel: [String: Int] = [:]
    /// Drafted tokens of finished answers (speculative decoding).
    private(set) var draftedTokenCount = 0
    /// Drafted tokens that were accepted.
    private(set) var acceptedTokenCount = 0
    /// Answers that engines have finished, or that were stopped.
    private(set) var finishedCount = 0
    /// Answers on which an engine failed.
    private(set) var failedCount = 0

    /// Counts text of a model, whose tokens are known unless it is remote.
    func count(_ event: TokenEvent, of model: String?) {
        guard let model, case .text(_, _, let tokens, _) = event else { return }
        answerTokensByModel[model, default: 0] += max(1, tokens.count)
    }

    /// Counts an event of an engine's step.
    func take(_ event: TokenEvent) {
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            promptTokenCount += promptTokens
            cachedTokenCount += cachedTokens
        case .text(_, _, let tokens, _): answerTokenCount += tokens.count
        case .finished(_, let completion):
            finishedCount += 1
            draftedTokenCount += completion.draftedTokens
            acceptedTokenCount += completion.acceptedTokens
        case .failed: failedCount += 1
        case .progress: break
        }
    }
}
