// A conversation with a model.

/// Sends questions to a model; each answer sees the whole conversation so far.
///
/// A session belongs to one task. A question that is asked while an answer is generated waits for its
/// end. Each answer processes the whole conversation again.
public final class ChatSession {
    /// Parameters of the answers from the next one on.
    public var generateParameters: GenerateParameters

    private let context: ModelContext
    /// The messages, available once the current turn has ended.
    private var history: Task<[Chat.Message], Never>

    /// A conversation with the model in `model`, with `instructions` as the system prompt.
    public convenience init(
        _ model: ModelContainer,
        instructions: String? = nil,
        generateParameters: GenerateParameters = GenerateParameters()
    ) {
        self.init(
            model.context,
            instructions: instructions,
            generateParameters: generateParameters
        )
    }

    /// A conversation with `model`, with `instructions` as the system prompt.
    public init(
        _ model: ModelContext,
        instructions: String? = nil,
        generateParameters: GenerateParameters = GenerateParameters()
    ) {
        context = model
        self.generateParameters = generateParameters
        history = Task { instructions.map { [.system($0)] } ?? [] }
    }

    /// The answer to `prompt`.
    /// - Throws: `PhiEngineError`; the question is then removed from the history.
    public func respond(to prompt: String) async throws -> String {
        var answer = ""
        for try await piece in streamResponse(to: prompt) { answer += piece }
        return answer
    }

    /// The answer to `prompt` as a stream of text. If the reader cancels, generation ends, and the
    /// text so far counts as the answer.
    public func streamResponse(to prompt: String) -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
        let (context, parameters, history) = (context, generateParameters, history)
        let turn = Task(executorPreference: BlockingExecutor.streams) {
            let before = await history.value
            do {
                let asked = before + [.user(prompt)]
                let input = try await context.processor.prepare(input: UserInput(chat: asked))
                var answer = ""
                _ = try GenerationPlan(input, parameters, context).run(onText: { piece in
                    answer += piece
                    continuation.yield(piece)
                })
                continuation.finish()
                return asked + [.assistant(answer)]
            } catch {
                continuation.finish(throwing: error)
                return before
            }
        }
        continuation.onTermination = { _ in turn.cancel() }
        self.history = turn
        return stream
    }
}
