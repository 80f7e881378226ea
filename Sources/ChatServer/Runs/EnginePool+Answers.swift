// The engines that answer, and what is submitted to them.

import ChatCore
import ChatProtocol
import ConstrainedText
import Inference
import Tokenizers

extension EnginePool {
    /// The engine that answers in conversations of `model`.
    /// - Throws: `WireError` for the client, if the model cannot answer.
    func engine(for model: String) throws(WireError) -> ModelEngine {
        let name = board.answering(for: model) ?? model
        guard let engine = engines[name] else {
            throw WireError(
                .engineFailed,
                "the model \(name) could not be loaded: administrators can see the reason"
            )
        }
        return engine
    }

    /// The model that will answer in conversations of `model`, if it is not ready yet; else nil.
    func awaited(by model: String) -> Model? {
        guard let name = board.answering(for: model),
            engines[name] == nil || board.standbyLength(of: name) != nil
        else { return nil }
        return board.model(name, isAdministrator: false)
    }

    /// The largest context of all models, in tokens of prompt and answer together.
    var contextLength: Int { engines.values.map(\.contextLength).max() ?? .max }

    /// The smallest context of all models; nil if no model is loaded.
    var contextLengthMin: Int? { engines.values.map(\.contextLength).min() }

    /// The largest number of messages that fit into any model's context.
    var messageLimit: Int { engines.values.map(\.messageLimit).max() ?? 16 }

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
        memory?.models.use(base(of: model.name))
        return latestRequest
    }

    /// The scopes of which engines have KV cache in memory.
    var scopes: Set<String> {
        shared.values.reduce(into: []) { $0.formUnion($1.engine.scopes) }
    }

    /// Removes these scopes from all engines' KV caches.
    func forget(_ scopes: [String]) {
        for shared in shared.values { shared.engine.forget(scopes) }
    }
}
