// The tokens that a run used, according to its engine; the ledger is charged with them.

import ChatProtocol
import Inference

/// The tokens of one run so far.
struct RunCost {
    /// Tokens of the prompt; nil before the engine has started.
    private var promptTokens: Int?
    private var cachedTokens = 0
    /// Prompt tokens that have been read, including cached ones.
    private var readTokens = 0
    private var drawnTokens = 0

    /// Applies an event of the engine.
    mutating func take(_ event: TokenEvent) {
        switch event {
        case .started(_, let promptTokens, let cachedTokens):
            self.promptTokens = promptTokens
            self.cachedTokens = cachedTokens
            readTokens = cachedTokens
        case .progress(_, let done, _): readTokens = max(readTokens, done)
        case .text(_, _, let tokens, _):
            readTokens = promptTokens ?? readTokens
            // Remote engines tell no ids: an event of theirs has about one token.
            drawnTokens += max(1, tokens.count)
        case .finished, .failed: break
        }
    }

    /// The usage of an answer whose engine has finished. An answer that was stopped while its
    /// prompt was read is charged with the tokens read, one that never started with none. Tokens
    /// that earlier runs generated are charged once, with the answer.
    /// - Parameters:
    ///   - completion: the engine's figures.
    ///   - given: tokens that the answer had before its first run.
    ///   - kept: tokens that earlier runs generated after those.
    /// - Returns: the usage.
    func usage(_ completion: Completion, given: Int, kept: Int) -> Usage {
        let isWhole = completion.finish != .stopped || completion.completionTokens > given + kept
        let charged =
            isWhole
            ? completion.promptTokens - completion.cachedTokens + completion.completionTokens
            : readTokens - cachedTokens + kept
        var usage = Usage(
            promptTokens: completion.promptTokens,
            cachedTokens: completion.cachedTokens,
            completionTokens: completion.completionTokens,
            timeToFirstTokenMilliseconds: completion.timeToFirstToken.map(\.milliseconds) ?? 0,
            tokensPerSecond: completion.tokensPerSecond ?? 0,
            chargedTokens: charged
        )
        usage.thinkingTokens = completion.thinkingTokens
        usage.thinkingMilliseconds = completion.thinkingTime?.milliseconds
        return usage
    }

    /// The usage of an answer whose engine failed.
    /// - Returns: nil if it had not started.
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
