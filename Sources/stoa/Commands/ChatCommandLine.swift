// `stoa chat`: a conversation in a terminal or a script.

import ArgumentParser
import EventLoop
import Glibc
import Synchronization

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

    @OptionGroup var connection: ServerArguments

    func validate() throws {
        if new, conversation != nil {
            throw ValidationError("--new and a conversation exclude each other")
        }
    }

    /// Waits on the main thread, because Swift unblocks all signals on a main thread that it parks.
    func run() throws {
        let options = try options()
        let failure = Mutex<CommandFailure?>(nil)
        let thread = try EventLoop.launch(name: "chat") { loop in
            loop.spawn {
                do throws(CommandFailure) {
                    try await ChatSession(loop, options).run()
                } catch {
                    failure.withLock { $0 = error }
                }
                loop.stop()
            }
        }
        if let error = thread.join() { throw CommandFailure(.software, "\(error)") }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func options() throws -> ChatOptions {
        ChatOptions(
            choice: try ServerChoice(server: connection.server, user: connection.user),
            conversation: conversation,
            startsNew: new,
            readsPassword: connection.passwordStdin
        )
    }
}
