// Runs become requests of engines.

import ChatCore
import ConstrainedText
import Inference
import Tokenizers

extension EnginePool {
    /// Submits a run to an engine.
    /// - Parameters:
    ///   - prompt: what the model is given.
    ///   - answerPrefix: the tokens of the answer's text so far.
    ///   - answerText: that text.
    ///   - givenCount: how many of them were the answer's initial text, in which stop strings are
    ///     ignored.
    ///   - stopStrings: the answer ends before the first occurrence of any of them.
    ///   - sampling: how tokens are sampled.
    ///   - topLogprobs: see `GenerationRequest.topLogprobs`.
    ///   - constraint: the form that the answer must have.
    ///   - thinkingTokensMax: see `GenerationRequest.thinkingTokensMax`.
    ///   - cacheScope: limits the use of cached prompt beginnings to runs of the same scope.
    ///   - traceFields: see `GenerationRequest.traceFields`.
    ///   - model: the engine's model.
    /// - Returns: the number of the run in the engine's events.
    /// - Throws: `EngineError` if the engine refuses it.
    func submit(
        _ prompt: Prompt,
        answerPrefix: [Int32] = [],
        answerText: String = "",
        givenCount: Int = 0,
        stopStrings: [String] = [],
        sampling: SamplingParameters,
        topLogprobs: Int? = nil,
        constraint: AnswerConstraint? = nil,
        thinkingTokensMax: Int? = nil,
        cacheScope: String? = nil,
        traceFields: [String: String] = [:],
        to model: ModelEngine
    ) throws(EngineError) -> UInt64 {
        latestRequest += 1
        var request = GenerationRequest(
            id: latestRequest,
            prompt: prompt.tokens,
            // A prompt without a template consists of its tokens alone.
            messages: prompt.receipt.isRaw == true
                ? [] : prompt.messages.map { ChatMessage(role: $0.role, content: $0.text) },
            answerPrefix: answerPrefix,
            answerText: answerText,
            givenCount: givenCount,
            sampling: sampling,
            topLogprobs: topLogprobs,
            maxNewTokens: prompt.maxNewTokens,
            stopStrings: stopStrings,
            constraint: constraint,
            cacheScope: cacheScope,
            publishedCount: prompt.publishedTokenCount
        )
        request.thinkingTokensMax = thinkingTokensMax
        request.traceFields = traceFields
        request.adapter = model.adapter
        try model.engine.submit(request)
        return latestRequest
    }
}
