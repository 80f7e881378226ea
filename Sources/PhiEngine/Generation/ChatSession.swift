// A conversation that remembers itself.

/// Asks a model one question after the other; each answer is given with all that was said before.
///
/// The session is its task's own. A question that is asked before the last answer has ended waits
/// for it. The whole conversation is read again for each answer.
public final class ChatSession {
    /// How answers are generated, from the next one on.
    public var generateParameters: GenerateParameters

    private let context: ModelContext
    /// What was said once the running turn, if there is one, has ended.
    private var history: Task<[Chat.Message], Never>

    /// A conversation with the model in `model`, which is told `instructions`.
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

    /// A conversation with `model`, which is told `instructions`.
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
    /// - Throws: `PhiEngineError`. The question is forgotten then.
    public func respond(to prompt: String) async throws -> String {
        var answer = ""
        for try await piece in streamResponse(to: prompt) { answer += piece }
        return answer
    }

    /// The answer to `prompt` piece by piece. When nobody reads on, the generation ends, and what
    /// was generated counts as the answer.
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
