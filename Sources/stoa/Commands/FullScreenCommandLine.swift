// `stoa tui`: the list, a conversation and the composer on the whole screen.

import ArgumentParser
import Glibc

struct FullScreenCommandLine: ParsableCommand, SignalTaking {
    static let signals = ChatCommandLine.signals

    static let configuration = CommandConfiguration(
        commandName: "tui",
        abstract: "Chat on the full screen.",
        discussion: """
            Shows your conversations, an open one, and below it the text that you type. All commands of \
            “stoa chat” work: /help lists them.

            Tab in an empty text, or Alt-Up and Alt-Down, go to the list: Enter opens, Escape goes back. \
            Page Up and Page Down scroll the conversation, Ctrl-L draws everything again, Ctrl-D leaves.

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

    @Flag(
        help:
            "Clicks open conversations, and the wheel scrolls; the terminal selects text with Shift."
    )
    var mouse = false

    @OptionGroup var thinking: ThinkingArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        if new, conversation != nil {
            throw ValidationError("--new and a conversation exclude each other")
        }
    }

    func run() throws {
        guard TerminalMode.canEdit else {
            throw CommandFailure(
                .usage,
                "standard input and output must be a terminal that moves its cursor: see stoa chat"
            )
        }
        try ChatRun.run(
            ChatOptions(
                choice: try ServerChoice(server: connection.server, user: connection.user),
                conversation: conversation,
                startsNew: new,
                readsPassword: connection.passwordStdin,
                namesUser: connection.user != nil,
                showsThinking: thinking.isShown,
                style: .fullScreen(hasMouse: mouse)
            )
        )
    }
}
