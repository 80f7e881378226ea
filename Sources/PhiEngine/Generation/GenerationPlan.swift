// Shared by all forms of `generate`: validates everything first, then computes on the calling thread.

import Checkpoints
import Inference
import PhiModel
import Tokenizers

/// A validated generation.
package struct GenerationPlan: Sendable {
    private let model: LoadedModel
    /// The model's adapter when the generation was requested.
    private let adapter: LoadedAdapter?
    private let prompt: [TokenID]
    private let toolNames: Set<String>
    private let sampling: SamplingParameters
    private let maxNewTokens: Int
    private let extraStopTokens: Set<TokenID>
    private let prefillStepSize: Int

    /// Validates everything that needs no computation.
    /// - Throws: `.invalidInput`, `.invalidParameters`.
    package init(
        _ input: LMInput,
        _ parameters: GenerateParameters,
        _ context: ModelContext
    ) throws(PhiEngineError) {
        model = context.model.loaded(try parameters.checkedKeyValueBits())
        adapter = context.model.adapter
        // An id outside the engine's range becomes one that its validation refuses.
        prompt = input.text.tokens.asArray(Int.self).map { TokenID(exactly: $0) ?? -1 }
        toolNames = input.toolNames
        sampling = try parameters.sampling()
        prefillStepSize = try parameters.checkedPrefillStepSize()
        maxNewTokens = try Self.maxNewTokens(parameters, afterPromptOf: prompt.count, model)
        let ids = context.configuration.extraEOSTokens.compactMap {
            context.tokenizer.convertTokenToId($0)
        }
        extraStopTokens = Set(
            (ids + context.configuration.eosTokenIds).compactMap(TokenID.init(exactly:))
        )
        do throws(EngineError) {
            try TokenGenerator.check(
                prompt,
                maxNewTokens: maxNewTokens,
                model: model,
                adapter: adapter
            )
        } catch {
            throw PhiEngineError(error)
        }
    }

    /// Generates the answer on the calling thread, until it ends, `didGenerate` returns `.stop`, or
    /// the task is cancelled.
    /// - Parameters:
    ///   - cache: the cache of the conversation; nil for one that is not kept.
    ///   - didGenerate: called with each token; returns whether to continue.
    /// - Returns: the statistics.
    /// - Throws: `.generationFailed`.
    func run(
        cache: GenerationCache? = nil,
        _ didGenerate: (TokenID) -> GenerateDisposition
    ) throws(PhiEngineError) -> GenerateCompletionInfo {
        let session = SessionPool.shared.take(model.model, tokenCountMax: prefillStepSize)
        defer { SessionPool.shared.give(back: session) }
        do throws(EngineError) {
            let kept = try take(cache)
            var stopwatch = Stopwatch(
                promptTokenCount: prompt.count,
                cachedPromptTokenCount: kept?.count ?? 0
            )
            var generator = try TokenGenerator(
                model: model,
                session: session,
                prompt: prompt,
                sampling: sampling,
                maxNewTokens: maxNewTokens,
                extraStopTokens: extraStopTokens,
                adapter: adapter,
                cache: kept
            )
            defer { cache?.note(generator) }
            while !generator.isPromptRead {
                guard !Task.isCancelled else { return stopwatch.info(.cancelled) }
                try generator.readPromptPart()
            }
            while let token = try generator.next() {
                stopwatch.count()
                if didGenerate(token) == .stop { return stopwatch.info(.stop) }
                guard !Task.isCancelled else { return stopwatch.info(.cancelled) }
            }
            return stopwatch.info(generator.finish == .length ? .length : .stop)
        } catch {
            throw PhiEngineError(error)
        }
    }

    private func take(_ cache: GenerationCache?) throws(EngineError) -> KeyValueCache? {
        guard let cache else { return nil }
        let tokensMax = TokenGenerator.tokensMax(prompt, maxNewTokens: maxNewTokens, model: model)
        return try cache.take(
            for: prompt,
            tokensMax: tokensMax,
            model: model,
            adapter: adapter?.adapter
        )
    }

    /// As above, with the answer as events: chunks of whole characters, never empty, and calls.
    /// - Throws: `.generationFailed`.
    func run(
        cache: GenerationCache? = nil,
        onEvent: (Generation) -> Void
    ) throws(PhiEngineError) -> GenerateCompletionInfo {
        var decoder = StreamingDecoder(model.tokenizer, keepSpecial: true)
        var reader = AnswerReader(names: toolNames, form: model.template.toolForm)
        let info = try run(cache: cache) { token in
            let piece = decoder.append(token)
            if !piece.isEmpty { reader.append(piece).forEach(onEvent) }
            return .more
        }
        let rest = decoder.finish()
        if !rest.isEmpty { reader.append(rest).forEach(onEvent) }
        reader.finish().forEach(onEvent)
        return info
    }

    /// Generates the answer on its own thread.
    /// - Parameter onEnd: called with the statistics when the computation has ended, whether or not
    ///   the stream was read; with nil if it failed.
    /// - Returns: the answer's chunks and calls, then its statistics.
    package func stream(
        onEnd: @escaping @Sendable (GenerateCompletionInfo?) -> Void = { _ in }
    ) -> AsyncStream<Generation> {
        let (stream, continuation) = AsyncStream<Generation>.makeStream()
        let task = Task(executorPreference: BlockingExecutor.streams) {
            let info = try? run(onEvent: { continuation.yield($0) })
            if let info { continuation.yield(.info(info)) }
            continuation.finish()
            onEnd(info)
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Maximum tokens of an answer.
    ///
    /// A model with LongRoPE is best within its original context, and the longest possible length
    /// of a run selects its factor set; so without a limit, the answer to a short prompt ends with the
    /// original context.
    private static func maxNewTokens(
        _ parameters: GenerateParameters,
        afterPromptOf count: Int,
        _ model: LoadedModel
    ) throws(PhiEngineError) -> Int {
        let sizes = model.model.configuration
        let isShort = count <= sizes.originalContextLength / 2
        let end = isShort ? sizes.originalContextLength : sizes.contextLength
        // At least one, so that a prompt that fills the context is refused for its length.
        let limit = parameters.maxTokens ?? max(min(end, sizes.contextLength) - count, 1)
        guard let positions = parameters.maxKVSize else { return limit }
        guard count < positions else {
            throw .invalidInput(
                "the prompt has \(count) tokens, and maxKVSize allows \(positions), one of them for the "
                    + "answer; raise it or shorten the conversation"
            )
        }
        return min(limit, positions - count)
    }
}
