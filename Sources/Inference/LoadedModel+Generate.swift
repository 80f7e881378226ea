// One answer on the calling thread, without an engine's thread: what `stoa generate` needs.

public import Tokenizers

extension LoadedModel {
    /// Generates one answer and returns when it is complete.
    /// - Parameters:
    ///   - messages: the conversation; its template is applied here.
    ///   - sampling: how tokens are drawn.
    ///   - maxNewTokens: the answer ends with `.length` after as many tokens.
    ///   - stopStrings: the answer ends before the first of them.
    ///   - configuration: threads, context limit, prefill chunk, speculation and rope rule matter;
    ///     slots and queue do not.
    ///   - onText: gets the answer piece by piece, each of whole characters.
    /// - Returns: how the answer ended, and its figures.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.modelBroken`.
    public func generate(
        messages: [ChatMessage],
        sampling: SamplingParameters = .greedy,
        maxNewTokens: Int,
        stopStrings: [String] = [],
        configuration: EngineConfiguration = .standard,
        onText: (String) -> Void
    ) throws(EngineError) -> Completion {
        guard !messages.isEmpty else { throw .invalidRequest("there is no message to answer") }
        let request = GenerationRequest(
            id: 1,
            prompt: template.encode(messages, addGenerationPrompt: true).tokens,
            messages: messages,
            sampling: sampling,
            maxNewTokens: maxNewTokens,
            stopStrings: stopStrings
        )
        return try generate(request, configuration: configuration, onText: onText)
    }

    /// Generates the answer to one request and returns when it is complete.
    /// - Parameters:
    ///   - request: what is asked for; its id plays no part.
    ///   - configuration: threads, context limit, prefill chunk, speculation and rope rule matter;
    ///     slots and queue do not.
    ///   - onText: gets the answer piece by piece, each of whole characters.
    /// - Returns: how the answer ended, its figures and its receipt.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.modelBroken`.
    public func generate(
        _ request: GenerationRequest,
        configuration: EngineConfiguration = .standard,
        onText: (String) -> Void
    ) throws(EngineError) -> Completion {
        try request.validate(
            contextLength: contextLength(limit: configuration.contextLimit),
            vocabularyCount: vocabularyCount
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
                case .text(_, let text, _): onText(text)
                case .finished(_, let completion): return completion
                case .failed(_, let error): throw error
                }
            }
            events.removeAll()
        }
        throw .shutDown
    }
}
