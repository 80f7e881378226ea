// A conversation with a model.

/// Sends questions to a model; each answer sees the whole conversation so far.
///
/// A session belongs to one task. A question that is asked while an answer is generated waits for its
/// end. What the model has read of the conversation stays in the session's KV cache: a turn computes what
/// is new, and gives the answer that computing everything would give.
public final class ChatSession {
    /// The system prompt of the answers from the next one on.
    public var instructions: String?
    /// Parameters of the answers from the next one on.
    public var generateParameters: GenerateParameters
    /// Variables of the template; those of this family have none.
    public var additionalContext: [String: any Sendable]?
    /// The tools that the model may call; see `UserInput.tools`.
    public var tools: [ToolSpec]?
    /// Executes calls: its result is given to the model, which goes on answering. Without it, calls are
    /// in the stream of `streamDetails`, and the program gives their results by a message of its own.
    public var toolDispatch: (@Sendable (ToolCall) async throws -> String)?

    private let context: ModelContext
    /// The conversation, available once the current turn has ended.
    private var conversation: Task<Conversation, Never>

    /// What a session has between its turns.
    private struct Conversation: Sendable {
        /// The messages, without the system prompt.
        var messages: [Chat.Message] = []
        var cache = GenerationCache()
    }

    /// A conversation with the model in `model`, with `instructions` as the system prompt.
    public convenience init(
        _ model: ModelContainer,
        instructions: String? = nil,
        history: [Chat.Message] = [],
        generateParameters: GenerateParameters = GenerateParameters(),
        additionalContext: [String: any Sendable]? = nil,
        tools: [ToolSpec]? = nil,
        toolDispatch: (@Sendable (ToolCall) async throws -> String)? = nil
    ) {
        self.init(
            model.context,
            instructions: instructions,
            history: history,
            generateParameters: generateParameters,
            additionalContext: additionalContext,
            tools: tools,
            toolDispatch: toolDispatch
        )
    }

    /// A conversation with `model`, with `instructions` as the system prompt. It goes on from the messages
    /// of `history`, which are read with the first question.
    public init(
        _ model: ModelContext,
        instructions: String? = nil,
        history: [Chat.Message] = [],
        generateParameters: GenerateParameters = GenerateParameters(),
        additionalContext: [String: any Sendable]? = nil,
        tools: [ToolSpec]? = nil,
        toolDispatch: (@Sendable (ToolCall) async throws -> String)? = nil
    ) {
        context = model
        self.instructions = instructions
        self.generateParameters = generateParameters
        self.additionalContext = additionalContext
        self.tools = tools
        self.toolDispatch = toolDispatch
        conversation = Task { Conversation(messages: history) }
    }

    // MARK: - Answers

    /// The answer to `prompt`.
    /// - Throws: `PhiEngineError`, or an error of `toolDispatch`; the question is then removed from the
    ///   history.
    public func respond(
        to prompt: String,
        role: Chat.Message.Role = .user,
        images: [UserInput.Image] = [],
        videos: [UserInput.Video] = [],
        audios: [UserInput.Audio] = []
    ) async throws -> String {
        try await respond(to: [Chat.Message(role: role, content: prompt)])
    }

    /// The answer to messages, such as results of calls.
    /// - Throws: like `respond(to:role:images:videos:audios:)`.
    public func respond(to messages: [Chat.Message]) async throws -> String {
        var answer = ""
        for try await piece in streamResponse(to: messages) { answer += piece }
        return answer
    }

    /// The answer to `prompt` as a stream of text. If the reader cancels, generation ends, and the
    /// text so far counts as the answer.
    public func streamResponse(
        to prompt: String,
        role: Chat.Message.Role = .user,
        images: [UserInput.Image] = [],
        videos: [UserInput.Video] = [],
        audios: [UserInput.Audio] = []
    ) -> AsyncThrowingStream<String, any Error> {
        streamResponse(to: [Chat.Message(role: role, content: prompt)])
    }

    /// The answer to messages as a stream of text.
    public func streamResponse(
        to messages: [Chat.Message]
    ) -> AsyncThrowingStream<String, any Error> {
        stream(messages) { $0.chunk }
    }

    /// The answer to `prompt` as a stream of text, calls and statistics.
    public func streamDetails(
        to prompt: String,
        role: Chat.Message.Role = .user,
        images: [UserInput.Image] = [],
        videos: [UserInput.Video] = [],
        audios: [UserInput.Audio] = []
    ) -> AsyncThrowingStream<Generation, any Error> {
        streamDetails(to: [Chat.Message(role: role, content: prompt)])
    }

    /// The answer to messages as a stream of text, calls and statistics. Calls that `toolDispatch`
    /// executes are not in it.
    public func streamDetails(
        to messages: [Chat.Message]
    ) -> AsyncThrowingStream<Generation, any Error> {
        stream(messages) { $0 }
    }

    /// Forgets the conversation, but not the instructions, once the current turn has ended.
    public func clear() async {
        let before = conversation
        conversation = Task {
            _ = await before.value
            return Conversation()
        }
        await synchronize()
    }

    /// Waits for the end of the current turn.
    public func synchronize() async {
        _ = await conversation.value
    }

    // MARK: - Turns

    private func stream<Element: Sendable>(
        _ messages: [Chat.Message],
        _ element: @escaping @Sendable (Generation) -> Element?
    ) -> AsyncThrowingStream<Element, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
        let turn = Turn(
            context: context,
            instructions: instructions.map { [.system($0)] } ?? [],
            parameters: generateParameters,
            additionalContext: additionalContext,
            tools: tools,
            toolDispatch: toolDispatch
        )
        let before = conversation
        let task = Task(executorPreference: BlockingExecutor.streams) {
            var conversation = await before.value
            do {
                conversation.messages = try await turn.answer(
                    conversation.messages + messages,
                    conversation.cache
                ) { event in
                    if let element = element(event) { continuation.yield(element) }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
            return conversation
        }
        continuation.onTermination = { _ in task.cancel() }
        conversation = task
        return stream
    }
}

/// One turn of a session, with the settings that the session had when it began.
private struct Turn: Sendable {
    let context: ModelContext
    let instructions: [Chat.Message]
    let parameters: GenerateParameters
    let additionalContext: [String: any Sendable]?
    let tools: [ToolSpec]?
    let toolDispatch: (@Sendable (ToolCall) async throws -> String)?

    /// Answers the last of `messages`, and again after the results of calls.
    /// - Returns: the messages, and those of this turn.
    func answer(
        _ messages: [Chat.Message],
        _ cache: GenerationCache,
        _ onEvent: (Generation) -> Void
    ) async throws -> [Chat.Message] {
        var messages = messages
        while true {
            let input = try await context.processor.prepare(
                input: UserInput(
                    chat: instructions + messages,
                    tools: tools,
                    additionalContext: additionalContext
                )
            )
            var text = ""
            var calls: [ToolCall] = []
            let info = try GenerationPlan(input, parameters, context).run(cache: cache) { event in
                text += event.chunk ?? ""
                if let call = event.toolCall { calls.append(call) }
                if event.toolCall == nil || toolDispatch == nil { onEvent(event) }
            }
            onEvent(.info(info))
            messages.append(.assistant(text, toolCalls: calls.isEmpty ? nil : calls))
            guard let toolDispatch, !calls.isEmpty, !Task.isCancelled else { return messages }
            for call in calls {
                messages.append(.tool(try await toolDispatch(call), id: call.id))
            }
        }
    }
}
