// The statistics and receipt of an answer.

import PhiModel

extension RunningAnswer {
    /// The statistics.
    func completion(_ finish: FinishReason) -> Completion {
        var completion = Completion(
            finish: finish,
            promptTokens: promptCount,
            cachedTokens: cachedPromptCount,
            completionTokens: answerCount,
            timeToFirstToken: stopwatch.untilFirstToken,
            tokensPerSecond: stopwatch.tokensPerSecond(drawnCount),
            draftedTokens: draftedCount,
            acceptedTokens: acceptedCount
        )
        if thinking.exists {
            completion.thinkingTokens = thinking.tokenCount
            completion.thinkingTime = stopwatch.thinking
        }
        return completion
    }

    /// The receipt. `ropeRule` is the engine's rule.
    func receipt(_ finish: FinishReason, of model: LoadedModel, ropeRule: RopeRule) -> RunReceipt {
        RunReceipt(
            model: model.identity,
            adapter: request.adapter?.identity,
            engine: .init(stoa: EngineVersion.text, kernels: model.model.kernelName),
            rope: .init(rule: request.ropeRule ?? ropeRule, factors: cache.ropeFactors),
            sampling: request.sampling,
            prompt: .init(
                ids: request.prompt,
                cached: cachedPromptCount,
                computed: min(cache.count, promptCount) - cachedPromptCount
            ),
            answer: .init(
                ids: Array(tokens[promptCount...]),
                finish: finish,
                tokensMax: tokensMax - promptCount,
                stopStrings: request.stopStrings,
                constraint: request.constraint,
                thinkingTokensMax: thinking.exists ? request.thinkingTokensMax : nil,
                givenCount: drawnCount < answerCount ? answerCount - drawnCount : nil,
                continuedCount: request.givenCount > 0 ? request.givenCount : nil
            ),
            times: .init(
                waiting: stopwatch.waiting,
                prompt: stopwatch.prompt,
                generation: stopwatch.generation,
                tokensPerSecond: stopwatch.tokensPerSecond(drawnCount)
            )
        )
    }
}
