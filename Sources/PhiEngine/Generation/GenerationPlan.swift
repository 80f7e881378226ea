// Shared by all forms of `generate`: validates everything first, then computes on the calling thread.

import Checkpoints
import Inference
import PhiModel
import Tokenizers

/// A validated generation.
package struct GenerationPlan: Sendable {
    private let model: Phi3Model
    /// The model's adapter when the generation was requested.
    private let adapter: LoadedAdapter?
    private let prompt: [TokenID]
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
        model = context.model
        adapter = model.adapter
        // An id outside the engine's range becomes one that its validation refuses.
        prompt = input.text.tokens.asArray(Int.self).map { TokenID(exactly: $0) ?? -1 }
        sampling = try parameters.sampling()
        prefillStepSize = try parameters.checkedPrefillStepSize()
        maxNewTokens =
            parameters.maxTokens ?? model.newTokensMax(afterPromptOf: prompt.count)
        let ids = context.configuration.extraEOSTokens.compactMap {
            context.tokenizer.convertTokenToId($0)
        }
        extraStopTokens = Set(ids.compactMap(TokenID.init(exactly:)))
        do throws(EngineError) {
            try TokenGenerator.check(
                prompt,
                maxNewTokens: maxNewTokens,
                model: model.loaded,
                adapter: adapter
            )
        } catch {
            throw PhiEngineError(error)
        }
    }

    /// Generates the answer on the calling thread, until it ends, `didGenerate` returns `.stop`, or
    /// the task is cancelled.
    /// - Throws: `.generationFailed`.
    func run(
        _ didGenerate: (TokenID) -> GenerateDisposition
    ) throws(PhiEngineError) -> GenerateCompletionInfo {
        let session = SessionPool.shared.take(
            model.loaded.model,
            tokenCountMax: prefillStepSize
        )
        defer { SessionPool.shared.give(back: session) }
        var stopwatch = Stopwatch(promptTokenCount: prompt.count)
        do throws(EngineError) {
            var generator = try TokenGenerator(
                model: model.loaded,
                session: session,
                prompt: prompt,
                sampling: sampling,
                maxNewTokens: maxNewTokens,
                extraStopTokens: extraStopTokens,
                adapter: adapter
            )
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

    /// As above, with the answer as text: chunks of whole characters, never empty.
    /// - Throws: `.generationFailed`.
    func run(onText: (String) -> Void) throws(PhiEngineError) -> GenerateCompletionInfo {
        var decoder = StreamingDecoder(model.loaded.tokenizer, keepSpecial: true)
        let info = try run { token in
            let piece = decoder.append(token)
            if !piece.isEmpty { onText(piece) }
            return .more
        }
        let rest = decoder.finish()
        if !rest.isEmpty { onText(rest) }
        return info
    }

    /// Generates the answer on its own thread.
    /// - Parameter onEnd: called with the statistics when the computation has ended, whether or not
    ///   the stream was read; with nil if it failed.
    /// - Returns: the answer's chunks, then its statistics.
    package func stream(
        onEnd: @escaping @Sendable (GenerateCompletionInfo?) -> Void = { _ in }
    ) -> AsyncStream<Generation> {
        let (stream, continuation) = AsyncStream<Generation>.makeStream()
        let task = Task(executorPreference: BlockingExecutor.streams) {
            let info = try? run(onText: { continuation.yield(.chunk($0)) })
            if let info { continuation.yield(.info(info)) }
            continuation.finish()
            onEnd(info)
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension Phi3Model {
    /// Maximum tokens of an answer if the caller sets no limit.
    ///
    /// A model with LongRoPE is best within its original context, and the longest possible length
    /// of a run selects its factor set; so a short prompt is limited to the original context.
    fileprivate func newTokensMax(afterPromptOf count: Int) -> Int {
        let sizes = loaded.model.configuration
        let isShort = count <= sizes.originalContextLength / 2
        let end = isShort ? sizes.originalContextLength : sizes.contextLength
        // At least one, so that a prompt that fills the context is refused for its length.
        return max(min(end, sizes.contextLength) - count, 1)
    }
}
