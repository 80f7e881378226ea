// `stoa chat`: a conversation in a terminal or a script.

import ArgumentParser
import ChatClient
import ChatProtocol
import EventLoop
import FoundationEssentials
import Glibc
import HTTPProtocol
import Synchronization

struct ChatCommandLine: ParsableCommand, SignalTaking {
    static let signals = [SIGINT]

    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat in the terminal.",
        discussion: """
            Opens the newest conversation, or starts one. Each line is a message; lines that begin \
            with a slash are commands: /help lists them. If standard input is a pipe, each line waits \
            for its answer, and only answers go to standard output.

            The token of a sign-in is stored in $XDG_STATE_HOME/stoa (or ~/.local/state/stoa), \
            readable by its owner only. STOA_TOKEN takes precedence over it.
            """
    )

    @Option(help: ArgumentHelp("Server to connect to. [STOA_SERVER]", valueName: "URL"))
    var server: String?

    @Option(help: ArgumentHelp("Name to sign in with.", valueName: "NAME"))
    var user: String?

    @Option(help: ArgumentHelp("Conversation to open.", valueName: "ID"))
    var conversation: String?

    @Flag(help: "Start a new conversation.")
    var new = false

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    func validate() throws {
        if let conversation, ConversationID(conversation) == nil {
            throw ValidationError("--conversation: “\(conversation)” is not an id")
        }
        if new, conversation != nil {
            throw ValidationError("--new and --conversation exclude each other")
        }
    }

    /// Waits on the main thread, because Swift unblocks all signals on a main thread that it parks.
    func run() throws {
        let options = try options(environment: ProcessInfo.processInfo.environment)
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

    private func options(environment: [String: String]) throws -> ChatOptions {
        let url = try HTTPOrigin(server: server, environment: environment)
        return ChatOptions(
            server: url,
            user: user,
            conversation: conversation.flatMap { ConversationID($0) },
            startsNew: new,
            readsPassword: passwordStdin,
            token: environment["STOA_TOKEN"].flatMap { $0.isEmpty ? nil : $0 },
            tokens: TokenStore(environment: environment)
        )
    }
}
