// What a run cost, by what its engine said: the ledger charges that.

import ChatProtocol
import Inference

/// The cost of one run so far.
struct RunCost {
    /// Tokens of the prompt; nil before the engine has begun.
    private var promptTokens: Int?
    private var cachedTokens = 0
    /// Tokens of the prompt that are there, those of the cache included.
    private var readTokens = 0
    private var drawnTokens = 0

    /// Takes what the engine says of the run.
    mutating func take(_ event: TokenEvent) {
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            self.promptTokens = promptTokens
            self.cachedTokens = cachedTokens
            readTokens = cachedTokens
        case .progress(_, let done, _): readTokens = max(readTokens, done)
        case .text(_, _, let tokens):
            readTokens = promptTokens ?? readTokens
            drawnTokens += tokens.count
        case .finished, .failed: break
        }
    }

    /// What the answer cost, where the engine says that it is done. An answer that was stopped while
    /// its prompt was read is charged with what was read, and one that never began with nothing; what
    /// runs before this one drew is charged with the answer, once.
    /// - Parameters:
    ///   - completion: the engine's figures.
    ///   - given: tokens that the answer had before its first run.
    ///   - kept: tokens that earlier runs drew, behind those.
    /// - Returns: the figures.
    func usage(_ completion: Completion, given: Int, kept: Int) -> Usage {
        let isWhole = completion.finish != .stopped || completion.completionTokens > given + kept
        let charged =
            isWhole
            ? completion.promptTokens - completion.cachedTokens + completion.completionTokens
            : readTokens - cachedTokens + kept
        return Usage(
            promptTokens: completion.promptTokens,
            cachedTokens: completion.cachedTokens,
            completionTokens: completion.completionTokens,
            timeToFirstTokenMilliseconds: completion.timeToFirstToken.map(\.milliseconds) ?? 0,
            tokensPerSecond: completion.tokensPerSecond ?? 0,
            chargedTokens: charged
        )
    }

    /// What the answer cost, where the engine failed.
    /// - Returns: nil where it had not begun.
    func usageOfFailure(given: Int, kept: Int) -> Usage? {
        guard let promptTokens else { return nil }
        return Usage(
            promptTokens: promptTokens,
            cachedTokens: cachedTokens,
            completionTokens: given + kept + drawnTokens,
            timeToFirstTokenMilliseconds: 0,
            tokensPerSecond: 0,
            chargedTokens: readTokens - cachedTokens + kept + drawnTokens
        )
    }
}
