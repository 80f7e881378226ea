// Answers of a real model over the network: several users ask at the same time, and each reads its answer
// as a stream.

import ArgumentParser
import ChatClient
import ChatProtocol
import Digests
import EventLoop
import HTTPProtocol
import Tokenizers

struct AnswersBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answers",
        abstract: "Ask a model from several users at once, and read what it answers.",
        discussion: """
            Each client is of a user of its own, whose token is SHA-256 of “bench NUMBER”, from 0 on. \
            The server needs a slot for each.
            """
    )

    /// The system prompt: short, so that prompts can be short.
    private static let systemPrompt = "Answer."

    @Option(help: "The server, such as http://127.0.0.1:8080.") var server: String
    @Option(
        help: "Its model, for the tokenizer: \(BenchmarkModel.help).",
        transform: BenchmarkModel.path
    )
    var model: String
    @Option(help: "Users who ask.") var clients = 8
    @Option(help: "Tokens of each prompt, where the template alone takes no more.") var prompt = 32
    @Option(help: "Tokens of each answer, at most.") var answer = 48

    func validate() throws {
        guard clients > 0, answer > 0 else { throw ValidationError("numbers begin with 1") }
    }

    func run() async throws {
        guard let origin = HTTPOrigin(server) else {
            throw ValidationError("not a server's URL")
        }
        let questions = try makeQuestions()
        let (systemPrompt, answer) = (Self.systemPrompt, answer)
        let result = try await EventLoop.run { loop in
            try await AskingClients(
                loop: loop,
                server: origin,
                questions: questions,
                systemPrompt: systemPrompt,
                tokensMax: answer
            ).measure()
        }
        report("answers_tokens_per_second", Double(result.tokenCount) / result.seconds)
        report("answers_first_token_p50_ms", result.firstTokens.median * 1000)
        report("answers_tokens", Double(result.tokenCount))
        report("answers_prompt_tokens", result.promptTokens.median)
    }

    /// A question for each client, with the requested number of prompt tokens.
    private func makeQuestions() throws -> [String] {
        let tokenizer = try Tokenizer.load(folder: model)
        let template = try ChatTemplate.load(folder: model, tokenizer: tokenizer)
        return (0..<clients).map { number in
            var question = "\(number)"
            while true {
                let messages = [
                    ChatMessage(role: "system", content: Self.systemPrompt),
                    ChatMessage(role: "user", content: question),
                ]
                let count = template.encode(messages, addGenerationPrompt: true).tokens.count
                guard count < prompt else { return question }
                question += " a"
            }
        }
    }
}

/// The clients, on one event loop.
private final class AskingClients {
    struct Result: Sendable {
        /// From the questions to the end of the last answer, in seconds.
        var seconds = 0.0
        var tokenCount = 0
        var promptTokens = Sample()
        /// From the questions to each client's first text, in seconds.
        var firstTokens = Sample()
    }

    private static let limit: Duration = .seconds(600)

    private let loop: EventLoop
    private let clients: [ChatClient]
    private let questions: [String]
    private let systemPrompt: String
    private let tokensMax: Int
    private var result = Result()
    private var start: ContinuousClock.Instant
    private var hasText: [Bool]
    /// The ends of the pending answers.
    private var ends: [LoopPromise<Void, any Error>] = []

    init(
        loop: EventLoop,
        server: HTTPOrigin,
        questions: [String],
        systemPrompt: String,
        tokensMax: Int
    ) {
        self.loop = loop
        self.questions = questions
        self.systemPrompt = systemPrompt
        self.tokensMax = tokensMax
        start = loop.now
        hasText = questions.map { _ in false }
        clients = questions.indices.map { number in
            let token = SHA256.digest(of: "bench \(number)").hexadecimal
            return ChatClient(
                loop: loop,
                configuration: ChatClient.Configuration(server: server, token: token)
            )
        }
    }

    func measure() async throws -> Result {
        for (index, client) in clients.enumerated() {
            client.onEvent = { [weak self] in self?.take($0, index) }
            client.start()
        }
        for client in clients { _ = try await client.connected() }
        // The model may still be loading: wait for one answer that does not count.
        try await ask(Array(clients.indices.prefix(1)))
        result = Result()
        try await ask(Array(clients.indices))
        result.seconds = (loop.now - start).inSeconds
        for client in clients { client.close() }
        return result
    }

    /// Sends a question from each of these clients at the same time, in new conversations, and
    /// waits for the answers.
    private func ask(_ indices: [Int]) async throws {
        var conversations: [ConversationID] = []
        for index in indices { conversations.append(try await begin(clients[index])) }
        ends = clients.map { _ in LoopPromise<Void, any Error>(loop) }
        hasText = clients.map { _ in false }
        let timer = loop.schedule(after: Self.limit) { [ends] in
            for end in ends { end.fail(LoadError.timedOut) }
        }
        defer { timer.cancel() }
        start = loop.now
        for (index, conversation) in zip(indices, conversations) {
            let end = ends[index]
            loop.spawn { [self] in
                do { try await send(index, in: conversation) } catch { end.fail(error) }
            }
        }
        for index in indices { try await ends[index].value(cancelled: {}) }
    }

    private func begin(_ client: ChatClient) async throws -> ConversationID {
        let conversation = try await client.call(
            .conversationCreate,
            ConversationCreateRequest(
                key: "\(MessageID.make())",
                systemPrompt: systemPrompt,
                // Sampled: the most likely tokens of random weights repeat themselves, and an
                // engine could speculate on them.
                settings: GenerationSettings(temperature: 1, maxTokens: tokensMax)
            )
        ).conversation.id
        _ = try await client.call(
            .conversationWatch,
            ConversationWatchRequest(conversation: conversation)
        )
        return conversation
    }

    private func send(_ index: Int, in conversation: ConversationID) async throws {
        _ = try await clients[index].call(
            .messageSend,
            MessageSendRequest(
                conversation: conversation,
                key: "\(MessageID.make())",
                text: questions[index]
            )
        )
    }

    private func take(_ event: ServerEvent, _ index: Int) {
        switch event {
        case .messageDelta where !hasText[index]:
            hasText[index] = true
            result.firstTokens.add((loop.now - start).inSeconds)
        case .messageCompleted(let body):
            if let usage = body.usage {
                result.tokenCount += usage.completionTokens
                result.promptTokens.add(Double(usage.promptTokens))
            }
            ends[index].succeed(())
        case .messageStopped, .messageFailed:
            ends[index].fail(LoadError.unexpected("an answer did not come to its end"))
        default: break
        }
    }
}
