// `stoa show`: the messages of a conversation.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

/// `stoa show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a conversation.",
        discussion: """
            Prints the branch that you see on the page, oldest message first. The conversation is \
            named by its id, the start of its id, or words of its title. “stoa export” has formats \
            for files.
            """
    )

    @Argument(help: "Conversation to print.", completion: NamesCommand.conversations)
    var conversation: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Maximum number of messages, the newest.", valueName: "COUNT")
    )
    var limit = 1000

    @OptionGroup var thinking: ThinkingArguments
    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let (name, limit) = (ConversationName(conversation), limit)
        let (found, messages, hasMore) = try await connection.connected { client in
            let id = try await name.find(client)
            let found = try await client.deliver(
                .conversationGet,
                ConversationRequest(conversation: id)
            )
            let (messages, hasMore) = try await MessagePages.newest(limit, of: id, client)
            return (found.conversation, messages, hasMore)
        }
        if output.json {
            for message in messages { output.print(message) }
        } else if Terminal.isOutput {
            show(messages, of: found)
        } else {
            StandardStreams.print("# \(found.title.isEmpty ? "new conversation" : found.title)\n")
            var feed = ConversationFeed()
            var text = ConversationText(model: found.model)
            for line in feed.lines(of: messages) { StandardStreams.write(text.text(for: line)) }
        }
        if hasMore { output.note("Older messages exist: raise --limit.") }
    }

    /// Prints messages as Markdown, for a terminal.
    private func show(_ messages: [Message], of conversation: Conversation) {
        let hasStyles = TerminalMode.hasStyles
        for message in messages {
            let author = message.author?.name ?? message.authorName
            let name = message.role == .user ? author ?? "someone" : conversation.model
            var stream = AnswerStream(
                width: TerminalMode.size.columns,
                showsThinking: thinking.isShown,
                of: message.role
            )
            var lines = [StyledLine(name, Style([.bold]))]
            lines += stream.append(message.text)
            lines += stream.finish()
            for line in lines { StandardStreams.print(line.output(hasStyles: hasStyles)) }
            StandardStreams.print("")
        }
    }
}
