// Subscribers that join, leave, lag and return while runs die and are taken over: compares the
// client library's view with the server's channel, over random schedules.

import ChatClient
import ChatProtocol
import ChatServer
import Digests
import Networking
import TestSupport
import Testing

/// A connection with the client library's view at its other end.
private final class Client: Watcher {
    var view: ConversationView
    var isSlow = false
    let isStuck = false
    var isConnected = false

    init(_ conversation: ConversationID) {
        view = ConversationView(conversation)
    }

    func send(_ frame: SharedBytes) {
        let start = [126: 4, 127: 10][frame.bytes[1]] ?? 2
        guard case .event(let event)? = try? ServerFrame.parse(Array(frame.bytes[start...])) else {
            Issue.record("a frame is no event")
            return
        }
        _ = view.apply(event)
    }
}

/// An answer, its successive runs, and its subscribers.
private struct Story {
    let conversation = ConversationID.make()
    let message = MessageID.make()
    var run = RunID.make()
    var channel: ConversationChannel
    var text = ""
    /// The text in the database.
    var kept = ""
    var base: Int?
    var isAlive = true
    var ended: MessageEnded?
    let clients: [Client]
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let conversation = conversation
        channel = ConversationChannel(conversation: conversation)
        clients = (0..<4).map { _ in Client(conversation) }
        channel.start(LiveAnswer(conversation: conversation, message: message, run: run))
    }

    /// A snapshot of the answer before its first text.
    private var snapshot: ConversationSnapshot {
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        let user = User(id: .make(), name: "ada")
        return ConversationSnapshot(
            conversation: Conversation(
                id: conversation,
                title: "Tea",
                systemPrompt: "",
                model: "demo",
                role: .owner,
                members: [Member(user: user, role: .owner)],
                settings: GenerationSettings(),
                n: 2,
                createdAt: time,
                updatedAt: time
            ),
            messages: [
                Message(
                    id: message,
                    conversation: conversation,
                    parent: nil,
                    role: .assistant,
                    author: nil,
                    text: "",
                    state: .streaming,
                    run: run,
                    createdAt: time
                )
            ],
            more: false
        )
    }

    /// The reply to `conversation.watch`.
    private func reply(_ request: ConversationWatchRequest) -> ConversationWatchReply {
        let have = request.have ?? [:]
        var growing = channel.growing(have: have)
        if growing.isEmpty, ended == nil {
            // No node runs the answer at the moment: its text comes from the database.
            let stored = LiveAnswer(
                conversation: conversation,
                message: message,
                run: run,
                text: kept,
                base: base
            ).rest(after: have[message.description] ?? 0)
            growing = [
                GrowingAnswer(
                    message: message,
                    run: run,
                    at: stored.at,
                    to: stored.to,
                    text: stored.text
                )
            ]
        }
        guard request.after != nil else {
            return ConversationWatchReply(n: 2, snapshot: snapshot, growing: growing)
        }
        var events: [ServerEvent] = []
        if var ended, request.after == 2 {
            ended.text = text
            events = [.messageCompleted(ended)]
        }
        let n: Int64 = ended == nil ? 2 : 3
        return ConversationWatchReply(n: n, events: events, growing: growing)
    }

    /// Watches until a snapshot fits.
    func watch(_ client: Client) {
        client.isConnected = true
        for _ in 0..<3 {
            channel.begin(client)
            let reply = reply(client.view.watchRequest)
            _ = client.view.apply(reply)
            channel.activate(client, n: reply.n)
            if client.view.mismatch == nil { return }
        }
        Issue.record("a watch does not fit: \(String(describing: client.view.mismatch))")
    }

    func leave(_ client: Client) {
        client.isConnected = false
        channel.end(client)
    }

    mutating func grow() {
        guard isAlive else { return }
        let piece = ["a", "é", "🙂", "word "].randomElement(using: &random) ?? ""
        text += piece
        _ = channel.append(piece, to: message)
    }

    /// The node dies with all its connections.
    mutating func die() {
        isAlive = false
        text = kept
        channel = ConversationChannel(conversation: conversation)
        for client in clients { client.isConnected = false }
    }

    /// Another run takes over, from the checkpoint or from the beginning.
    mutating func takeOver() {
        isAlive = true
        if Int.random(in: 0..<4, using: &random) == 0 { kept = "" }
        text = kept
        run = .make()
        base = min(base ?? .max, text.utf8.count)
        channel.start(
            LiveAnswer(
                conversation: conversation,
                message: message,
                run: run,
                text: text,
                base: base
            )
        )
        channel.broadcast(
            .messageRestarted(
                MessageRestarted(
                    conversation: conversation,
                    message: message,
                    run: run,
                    at: text.utf8.count
                )
            )
        )
    }

    mutating func end() {
        let event = MessageEnded(
            conversation: conversation,
            n: 3,
            message: message,
            run: run,
            to: text.utf8.count,
            sha256: SHA256.digest(of: text).hexadecimal,
            usage: nil,
            finish: .stop
        )
        for client in clients where client.isSlow { client.isSlow = false }
        channel.finish(message)
        channel.receive(3, .messageCompleted(event))
        ended = event
    }

    /// Executes one random step.
    mutating func step() {
        let client = clients.randomElement(using: &random) ?? clients[0]
        switch Int.random(in: 0..<16, using: &random) {
        case 0: watch(client)
        case 1: leave(client)
        case 2:
            client.isSlow.toggle()
            if !client.isSlow { channel.resume(client) }
        case 3: if isAlive { die() } else { takeOver() }
        case 4, 5: if isAlive { kept = text }
        case 6, 7, 8: channel.flush(message)
        default: grow()
        }
        for client in clients where client.isConnected && client.view.mismatch != nil {
            watch(client)
        }
    }
}

@Suite("Subscribers of an answer whose nodes die")
struct TakeoverPropertyTests {
    @Test("all end with the stored text, and those still connected need not watch again")
    func property() {
        for seed in 0..<400 as Range<UInt64> {
            var story = Story(seed: seed)
            for client in story.clients { story.watch(client) }
            for _ in 0..<120 { story.step() }
            if !story.isAlive { story.takeOver() }
            for _ in 0..<5 { story.grow() }
            for client in story.clients where client.isConnected && client.view.mismatch != nil {
                story.watch(client)
            }
            story.end()
            for client in story.clients {
                if client.isConnected { #expect(client.view.mismatch == nil, "seed \(seed)") }
                if !client.isConnected { story.watch(client) }
                let answer = client.view.message(story.message)
                #expect(answer?.text == story.text, "seed \(seed)")
                #expect(answer?.state == .complete)
            }
        }
    }
}
