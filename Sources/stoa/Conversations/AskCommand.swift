// `stoa ask`: one question, one answer.

import ArgumentParser
import ChatClient
import ChatProtocol
import Glibc

/// `stoa ask`.
struct AskCommand: AsyncParsableCommand, SignalTaking {
    static let signals = [SIGINT]

    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Ask a question, and print the answer as it grows.",
        discussion: """
            Without words the question is standard input. It starts a new conversation unless one is \
            named: by its id, the start of its id, or words of its title. Ctrl-C stops the answer. \
            With --json each line is an event.
            """
    )

    @Argument(help: "The question.")
    var words: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Ask in this conversation.", valueName: "NAME"),
        completion: NamesCommand.conversations
    )
    var conversation: String?

    @Flag(name: .customLong("continue"), help: "Ask in the newest conversation.")
    var continues = false

    @Option(
        name: .shortAndLong,
        help: "Model of the new conversation.",
        completion: NamesCommand.models
    )
    var model: String?

    @Option(name: .shortAndLong, help: "System prompt of the new conversation.")
    var system: String?

    @OptionGroup var question: QuestionArguments
    @OptionGroup var thinking: ThinkingArguments
    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        let isOld = conversation != nil || continues
        if conversation != nil, continues {
            throw ValidationError("--conversation and --continue exclude each other")
        }
        if isOld, model != nil || system != nil {
            throw ValidationError("--model and --system are for new conversations")
        }
    }

    func run() async throws {
        let text = try question.text(words)
        let command = self
        try await connection.connected { client in
            let run = QuestionRun(
                client,
                command.output,
                showsThinking: command.thinking.isShown
            )
            try await run.ask(text, in: try await command.place(client))
        }
    }

    /// The conversation to ask in.
    private func place(_ client: ChatClient) async throws -> ConversationID {
        if let conversation { return try await ConversationName(conversation).find(client) }
        if continues {
            let newest = try await client.deliver(
                .conversationList,
                ConversationListRequest(limit: 1)
            )
            guard let first = newest.conversations.first else {
                throw CommandFailure(.notFound, "there is no conversation to continue")
            }
            return first.id
        }
        let request = ConversationCreateRequest(
            key: MessageID.make().description,
            systemPrompt: system,
            model: model
        )
        return try await client.deliver(.conversationCreate, request).conversation.id
    }
}
