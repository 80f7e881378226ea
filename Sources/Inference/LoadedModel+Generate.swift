// Generates one answer on the calling thread, without an engine's thread, for `stoa generate`.

import PhiModel
public import Tokenizers

extension LoadedModel {
    /// Generates one answer and returns when it is complete.
    /// - Parameters:
    ///   - messages: the conversation; the template is applied here.
    ///   - sampling: the sampling parameters.
    ///   - maxNewTokens: the answer ends with `.length` after this number of tokens.
    ///   - stopStrings: the answer ends before the first of them.
    ///   - adapter: an adapter of this model; nil for none.
    ///   - configuration: threads, context limit, prefill chunk, speculation and rope rule are
    ///     used; slots and queue limit are not.
    ///   - onText: receives the answer in pieces of whole characters.
    /// - Returns: the finish reason and statistics.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.modelBroken`.
    public func generate(
        messages: [ChatMessage],
        sampling: SamplingParameters = .greedy,
        maxNewTokens: Int,
        stopStrings: [String] = [],
        adapter: LoadedAdapter? = nil,
        configuration: EngineConfiguration = .standard,
        onText: (String) -> Void
    ) throws(EngineError) -> Completion {
        guard !messages.isEmpty else { throw .invalidRequest("there is no message to answer") }
        var request = GenerationRequest(
            id: 1,
            prompt: template.encode(messages, addGenerationPrompt: true).tokens,
            messages: messages,
            sampling: sampling,
            maxNewTokens: maxNewTokens,
            stopStrings: stopStrings
        )
        request.adapter = adapter
        return try generate(request, configuration: configuration, onText: onText)
    }

    /// Generates the answer to one request and returns when it is complete.
    /// - Parameters:
    ///   - request: the request; its id is not used.
    ///   - configuration: threads, context limit, prefill chunk, speculation and rope rule are
    ///     used; slots and queue limit are not.
    ///   - onText: receives the answer in pieces of whole characters.
    /// - Returns: the finish reason, statistics and receipt.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.modelBroken`.
    public func generate(
        _ request: GenerationRequest,
        configuration: EngineConfiguration = .standard,
        onText: (String) -> Void
    ) throws(EngineError) -> Completion {
        try request.validate(
            contextLength: contextLength(limit: configuration.contextLimit),
            vocabularyCount: vocabularyCount,
            places: model.adapterPlaces
        )
        let queue = CommandQueue(limit: 1)
        try queue.submit(request, at: .now, slots: 1)
        var events: [TokenEvent] = []
        let loop = EngineLoop(
            model: self,
            configuration: configuration,
            queue: queue,
            now: { .now },
            sink: { events = $0 }
        )
        while loop.step() {
            for event in events {
                switch event {
                case .started, .progress: break
                case .text(_, let text, _, _): onText(text)
                case .finished(_, let completion): return completion
                case .failed(_, let error): throw error
                }
            }
            events.removeAll()
        }
        throw .shutDown
    }
}
