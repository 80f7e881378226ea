// The main part of `stoa chat`: signs in, follows one conversation, reads lines and prints changes. It
// has its own event loop; a slow terminal blocks only this client.

import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import TerminalText

/// The options of the command line.
struct ChatOptions: Sendable {
    var choice: ServerChoice
    /// The conversation to open: an id, or words of the title.
    var conversation: String?
    var startsNew: Bool
    var readsPassword: Bool
    /// Whether the command line names the user, who then signs in with a password.
    var namesUser: Bool
    /// Whether a terminal shows what a reasoning model thinks.
    var showsThinking: Bool
    /// What to draw on a terminal.
    var style = ChatStyle.lines
}

/// How a chat uses a terminal.
enum ChatStyle: Sendable {
    /// Lines that scroll away.
    case lines
    /// The full screen, perhaps with the mouse.
    case fullScreen(hasMouse: Bool)
}

/// One run of `stoa chat`.
final class ChatSession {
    let loop: EventLoop
    let options: ChatOptions
    let lines: LineReader
    let isTerminal = Terminal.isOutput
    /// Whether the input is a script: each message then waits for its answer.
    let isScripted = !Terminal.isInput
    let end: LoopPromise<Void, CommandFailure>

    var client: ChatClient?
    var follower: ConversationFollower?
    /// The conversations of the last `/list`.
    var listed: [Conversation] = []
    /// The results of the last `/search`, and its request.
    var found: [SearchResult] = []
    var lastSearch: SearchRequest?
    /// The prompts of the last `/prompts`.
    var prompts: [LibraryPrompt] = []
    /// Whether an answer that a script waited for has failed.
    var sawFailure = false

    /// The interactive terminal; nil for pipes and terminals that cannot move their cursor.
    var screen: (any ChatSurface)?
    var history = ChatHistory()
    /// Who is typing, and until when.
    var typing: [String: ContinuousClock.Instant] = [:]
    var announcedTyping: ContinuousClock.Instant?
    private var transcript: ChatTranscript?
    private var hasInterrupted = false
    private var isDisconnected = false

    init(_ loop: EventLoop, _ options: ChatOptions) {
        self.loop = loop
        self.options = options
        lines = LineReader(loop)
        end = LoopPromise(loop)
    }

    /// Runs until the end of input, `/quit` or an interrupt.
    func run() async throws(CommandFailure) {
        try? loop.onSignal(SIGINT) { [unowned self] in interrupt(hadText: false) }
        // The terminal's mode is restored first.
        for signal in [SIGTERM, SIGHUP] {
            try? loop.onSignal(signal) { [end] in end.fail(CommandFailure(.interrupted, "")) }
        }
        let chat = loop.spawn { [self] in
            do throws(CommandFailure) {
                try await start()
                while let input = await nextInput() {
                    if try await handle(input) == .leave { break }
                }
                end.succeed(())
            } catch {
                end.fail(error)
            }
        }
        defer {
            Terminal.setEcho(true)
            screen?.stop()
            screen = nil
            client?.close()
            chat.cancel()
        }
        try await end.value { [end] in end.succeed(()) }
        if sawFailure { throw CommandFailure(.software, "an answer failed") }
    }

    private func start() async throws(CommandFailure) {
        let welcome = try await signIn()
        let models = welcome.models.map(\.name).joined(separator: ", ")
        let greeting: SafeText = """
            Signed in to \(options.choice.server) as \(welcome.user.name). Model: \(models). /help lists the \
            commands.
            """
        if case .lines = options.style { note(greeting) }
        startScreen()
        if screen != nil, let list = client?.followList() {
            // It knows how much of the conversation is new.
            _ = try? await list.wait(within: .seconds(10)) { $0.u != nil }
        }
        try await open(try await firstConversation())
    }

    // MARK: Conversations

    private func firstConversation() async throws(CommandFailure) -> ConversationID {
        if let words = options.conversation, let client {
            return try await ConversationName(words).find(client)
        }
        if !options.startsNew {
            let newest = try await ask(
                .conversationList,
                ConversationListRequest(limit: 1)
            )
            if let first = newest.conversations.first { return first.id }
        }
        return try await createConversation(title: nil)
    }

    func createConversation(title: String?) async throws(CommandFailure) -> ConversationID {
        let request = ConversationCreateRequest(key: MessageID.make().description, title: title)
        return try await ask(.conversationCreate, request)
            .conversation.id
    }

    /// Leaves the open conversation, shows another, and waits until it is loaded: a message sent
    /// earlier could not be told from older ones.
    func open(_ conversation: ConversationID) async throws(CommandFailure) {
        guard let client, let user = client.welcome?.user.id else {
            throw CommandFailure(.unavailable, "not connected")
        }
        if let follower { client.unfollow(follower.view.id) }
        transcript = ChatTranscript(user: user, isTerminal: isTerminal)
        let unread = screen == nil ? 0 : client.followList().view[conversation]?.unread ?? 0
        screen?.open(user: user, unread: unread)
        typing = [:]
        let follower = client.follow(conversation)
        self.follower = follower
        follower.onChange = { [unowned self] changes, view in show(changes, view) }
        do throws(ChatClientError) {
            _ = try await follower.wait(within: .seconds(60)) { $0.lastEvent != nil }
        } catch {
            throw CommandFailure(error)
        }
        follower.onFailure = { [unowned self] error in
            if case .closed = error { return }
            if isScripted {
                end.fail(CommandFailure(error))
            } else {
                note("(this conversation can no longer be shown: \(error))")
            }
        }
    }

    private func show(_ changes: [ConversationView.Change], _ view: ConversationView) {
        markRead(changes, view)
        if let screen {
            screen.show(changes, view)
            if changes.contains(where: { if case .ended = $0 { true } else { false } }) {
                hasInterrupted = false
            }
            return
        }
        guard let text = transcript?.show(changes, of: view) else { return }
        if !text.isEmpty { StandardStreams.write(SafeText(ours: text)) }
        for case .ended(let id) in changes {
            hasInterrupted = false
            guard !isTerminal, let message = view.message(id) else { continue }
            if let usage = message.usage {
                StandardStreams.printError("\(ChatTranscript.figures(usage))")
            }
        }
    }

    /// Marks the printed messages as read.
    private func markRead(_ changes: [ConversationView.Change], _ view: ConversationView) {
        let isNews = changes.contains { change in
            switch change {
            case .reloaded, .created, .ended: true
            default: false
            }
        }
        guard isNews, let n = view.lastEvent else { return }
        let request = ConversationReadRequest(conversation: view.id, n: n)
        client?.send(.conversationRead, request) { _ in }
    }

    // MARK: Sending

    /// Sends a message to the open conversation; a script waits for the answer.
    func say(_ text: String) async throws(CommandFailure) {
        guard let follower else { return }
        hasInterrupted = false
        transcript?.expect(text)
        screen?.said(text, by: client?.welcome?.user.name ?? "you")
        let request = MessageSendRequest(
            conversation: follower.view.id,
            key: MessageID.make().description,
            text: text,
            leaf: follower.view.messages.last?.id
        )
        guard isScripted else {
            loop.spawn { [self] in
                do throws(CommandFailure) {
                    _ = try await ask(.messageSend, request)
                } catch {
                    screen?.unsent(text)
                    note("(not sent: \(error.message))")
                }
            }
            return
        }
        let answer = try await ask(.messageSend, request).answer.id
        try await waitForEnd(of: answer)
    }

    /// Suppresses the echo of a message that the user typed here.
    func expect(_ text: String) { transcript?.expect(text) }

    /// Waits for the end of an answer if the input is a script.
    func waitForEnd(of answer: MessageID) async throws(CommandFailure) {
        guard let follower else { return }
        do throws(ChatClientError) {
            let view = try await follower.wait(within: .seconds(3600)) {
                $0.message(answer)?.state.isFinal == true
            }
            if view.message(answer)?.state == .failed { sawFailure = true }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Handles Ctrl-C: stops the running answer, or quits. A text that was typed is dropped first.
    func interrupt(hadText: Bool) {
        guard let client, let answer = follower?.view.unfinishedAnswers.first, !hasInterrupted
        else {
            if hadText { return }
            if isTerminal, screen == nil { StandardStreams.print("") }
            end.fail(CommandFailure(.interrupted, ""))
            return
        }
        hasInterrupted = true
        client.send(.generationStop, GenerationStopRequest(message: answer.id)) { _ in }
    }

    // MARK: The connection

    /// Sends a request until there is a reply, across reconnects.
    func ask<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request
    ) async throws(CommandFailure) -> Reply {
        guard let client else { throw CommandFailure(.software, "not connected") }
        do throws(ChatClientError) {
            return try await client.deliver(operation, request)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints changes of the connection's state.
    func connectionChanged(_ state: ChatClient.State) {
        switch state {
        case .connecting: break
        case .connected:
            screen?.show(connection: nil)
            if isDisconnected { note("(reconnected)") }
            isDisconnected = false
        case .waiting:
            screen?.show(connection: "⋯ connection lost; reconnecting")
            if !isDisconnected, screen == nil { note("(connection lost; reconnecting)") }
            isDisconnected = true
        case .ended(.closed): break
        case .ended(let error): end.fail(CommandFailure(error))
        }
    }

    /// Prints a note: on the terminal between other lines, or on standard error.
    func note(_ text: SafeText) {
        if let screen {
            screen.note(text)
        } else if isTerminal {
            StandardStreams.write(
                transcript.map { SafeText(ours: $0.note(text.text)) } ?? text + "\n"
            )
        } else {
            StandardStreams.printError(text)
        }
    }
}

extension CommandFailure {
    /// Maps a client's error to an exit code.
    init(_ error: ChatClientError) {
        let status: Status =
            switch error {
            case .signInNeeded, .turnedAway: .noPermission
            case .refused(let error):
                error.code.isRetryable ? .temporary : .noPermission
            case .network, .connectionLost, .timedOut, .status, .http, .malformed: .unavailable
            case .closed: .software
            }
        self.init(status, TerminalSanitizer.clean("\(error)"))
    }
}
