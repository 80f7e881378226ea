import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Inference
import TestSupport
import Testing

@Suite("The queue of a node", .timeLimit(.minutes(1)))
struct QueueTests {
    /// Runs a test on a node with the demo model.
    private func withNode(
        filter: @escaping @Sendable ([TokenEvent]) -> [TokenEvent] = { $0 },
        _ body: @escaping @Sendable (Node) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration, filter: filter)
            do { try await body(node) } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    private static let long = "Tell me a very long story about the winter."

    /// Three answers for two slots: returns the one that runs first and the queued one.
    private func askThree(
        _ node: Node
    ) async throws -> (listener: EventListener, first: MessageID, last: MessageID) {
        let ann = try await node.addUser()
        let listener = EventListener(node.loop)
        var asked: [MessageID] = []
        for _ in 0..<3 {
            let conversation = try await node.makeConversation(by: ann)
            try await listener.watch(conversation, of: ann, on: node)
            asked.append(try await node.ask(Self.long, in: conversation, by: ann))
        }
        // Either of the two may run first, and the gate then holds the other.
        try await listener.wait { if case .messageDelta = $0 { true } else { false } }
        let growing = listener.events.compactMap { event -> MessageID? in
            if case .messageDelta(let delta) = event { delta.message } else { nil }
        }
        let first = try #require(growing.first)
        return (listener, first, asked[2])
    }

    @Test("queued answers get their positions, and complete in the end")
    func places() async throws {
        try await withNode { node in
            let ann = try await node.addUser()
            let listener = EventListener(node.loop)
            let first = try await node.makeConversation(by: ann)
            _ = try await node.say("Hello!", in: first, by: ann)
            // Both slots are taken, and nothing starts.
            let releasePrompts = await node.holdPrompts()
            var asked: [MessageID] = []
            for _ in 0..<4 {
                let conversation = try await node.makeConversation(by: ann)
                try await listener.watch(conversation, of: ann, on: node)
                asked.append(try await node.ask("Hello!", in: conversation, by: ann))
            }
            let last = asked[3]
            try await listener.wait {
                if case .messageQueued(let told) = $0 {
                    told.message == last
                } else {
                    false
                }
            }
            try await releasePrompts()
            try await listener.wait { $0.endedMessage == last }
        }
    }

    @Test("a stopped answer reports its latency, and its slot is used again")
    func stopping() async throws {
        let gate = Gate()
        try await withNode(filter: { gate.pass($0) }) { node in
            defer { gate.open() }
            let (listener, first, last) = try await askThree(node)
            #expect(node.dispatcher.stop(first, seen: nil))
            gate.open()
            try await listener.wait { $0.endedMessage == first }
            let stopped = listener.events.first { $0.endedMessage == first }
            if case .messageStopped(let ended)? = stopped {
                #expect((ended.stop?.latencyMilliseconds ?? -1) >= 0)
            } else {
                Issue.record("the answer was not stopped")
            }
            try await listener.wait { $0.endedMessage == last }
        }
    }

    @Test("the next run is submitted before the engine has finished the step of a stop request")
    func claimedWithinTheStep() async throws {
        let gate = Gate()
        try await withNode(filter: { gate.pass($0) }) { node in
            defer { gate.open() }
            let (listener, first, last) = try await askThree(node)
            #expect(node.allEngines.first?.requests.count ?? 3 < 3)
            #expect(node.dispatcher.stop(first, seen: nil))
            // The engine is blocked: no answer can have ended.
            while node.allEngines.first?.requests.count != 3 { await Task.yield() }
            #expect(!listener.events.contains { $0.endedMessage == first })
            gate.open()
            try await listener.wait { $0.endedMessage == last }
        }
    }

    @Test("an answer queued by another node is found without a notification")
    func otherNodes() async throws {
        try await withNode { node in
            let ann = try await node.addUser()
            let listener = EventListener(node.loop)
            let conversation = try await node.makeConversation(by: ann)
            try await listener.watch(conversation, of: ann, on: node)
            // Nothing calls this node's dispatcher.
            let committed = try await node.store.messages.send(
                MessageSendRequest(conversation: conversation, key: "one", text: "Hello!"),
                by: ann,
                limits: QueueLimits(total: 100, perUser: 100)
            )
            node.hub.publish(committed.events, in: conversation, isOwn: false)
            let answer = committed.value.answer.id
            try await listener.wait {
                if case .messageStarted(let started) = $0 {
                    started.message == answer
                } else {
                    false
                }
            }
        }
    }
}
