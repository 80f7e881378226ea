// `stoa send`: a message, without waiting for the answer.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

/// `stoa send`.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message, and do not wait for the answer.",
        discussion: """
            Prints the id of the pending answer, from which “stoa tail --from” goes on. Without \
            words the message is standard input. The conversation is named by its id, the start of \
            its id, or words of its title.
            """
    )

    @Argument(help: "Conversation to send to.", completion: NamesCommand.conversations)
    var conversation: String

    @Argument(help: "The message.")
    var words: [String] = []

    @OptionGroup var question: QuestionArguments
    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func run() async throws {
        let text = try question.text(words)
        let name = ConversationName(conversation)
        let reply = try await connection.connected { client in
            let request = MessageSendRequest(
                conversation: try await name.find(client),
                key: MessageID.make().description,
                text: text
            )
            return try await client.deliver(.messageSend, request)
        }
        if output.json {
            output.print(ConversationLine.created(reply.message))
            output.print(ConversationLine.created(reply.answer))
        } else if !output.quiet {
            StandardStreams.print("\(reply.answer.id)")
        }
    }
}
