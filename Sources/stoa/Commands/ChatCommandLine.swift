// `stoa chat`: a conversation in a terminal or a script.

import ArgumentParser
import Glibc

struct ChatCommandLine: ParsableCommand, SignalTaking {
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT]

    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat in the terminal.",
        discussion: """
            Opens the newest conversation, or starts one. Each line is a message; lines that begin \
            with a slash are commands: /help lists them. If standard input is a pipe, each line waits \
            for its answer, and only answers go to standard output.

            Signs in as “stoa login” did, or with STOA_TOKEN.
            """
    )

    @Argument(
        help: "Conversation to open: an id, the start of one, or words of the title.",
        completion: NamesCommand.conversations
    )
    var conversation: String?

    @Flag(help: "Start a new conversation.")
    var new = false

    @OptionGroup var thinking: ThinkingArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        if new, conversation != nil {
            throw ValidationError("--new and a conversation exclude each other")
        }
    }

    func run() throws {
        try ChatRun.run(
            ChatOptions(
                choice: try ServerChoice(server: connection.server, user: connection.user),
                conversation: conversation,
                startsNew: new,
                readsPassword: connection.passwordStdin,
                namesUser: connection.user != nil,
                showsThinking: thinking.isShown
            )
        )
    }
}
