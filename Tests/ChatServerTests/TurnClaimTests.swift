import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Postgres
import TestSupport
import Testing

@Suite("Slots for turns that are being stored", .timeLimit(.minutes(1)))
struct TurnClaimTests {
    /// Runs a test on a node with the demo model and two slots, which has read the queue.
    private func withNode(
        _ body: @escaping @Sendable (Node, User) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            do {
                let ann = try await node.addUser()
                let conversation = try await node.makeConversation(by: ann)
                _ = try await node.say("Hello!", in: conversation, by: ann)
                try await body(node, ann)
            } catch {
                await node.end()
                throw error
            }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    /// Waits until the node offers slots: it may be reading the queue now.
    private func offer(_ count: Int, of node: Node) async -> FreeSlots {
        while true {
            if let offer = node.dispatcher.offerSlots(atMost: count) { return offer }
            await Task.yield()
        }
    }

    private func store(
        _ node: Node,
        by user: User,
        _ slots: FreeSlots?
    ) async throws -> (ConversationID, Committed<MessageSendReply>) {
        let conversation = try await node.makeConversation(by: user)
        var limits = QueueLimits(total: 100, perUser: 100)
        limits.freeSlots = slots
        let request = MessageSendRequest(conversation: conversation, key: "k", text: "Hello!")
        return (
            conversation,
            try await node.store.messages.send(request, by: user, limits: limits)
        )
    }

    @Test("are offered once, and again after the transaction")
    func offers() async throws {
        try await withNode { node, _ in
            let offer = await offer(5, of: node)
            #expect(offer.count == 2 && offer.node == node.id)
            #expect(node.dispatcher.offerSlots(atMost: 1) == nil)
            node.dispatcher.withdraw(offer)
            node.dispatcher.withdraw(await self.offer(1, of: node))
        }
    }

    @Test("are not offered while another run waits")
    func waiting() async throws {
        try await withNode { node, ann in
            node.dispatcher.withdraw(await offer(1, of: node))
            let waiting = QueuedAnswer(
                message: .make(),
                conversation: .make(),
                user: ann.id,
                position: 1,
                promptTokens: 1,
                answerTokens: 1
            )
            // In the same turn of the loop it is not claimed yet.
            node.dispatcher.enqueue([QueueRow(answer: waiting, owner: nil, isLeased: false)])
            #expect(node.dispatcher.offerSlots(atMost: 1) == nil)
        }
    }

    @Test("let a turn begin without another claim")
    func begins() async throws {
        try await withNode { node, ann in
            let offer = await offer(1, of: node)
            let (conversation, committed) = try await store(node, by: ann, offer)
            let answer = committed.value.answer
            let listener = EventListener(node.loop)
            try await listener.watch(conversation, of: ann, on: node)
            node.dispatcher.withdraw(offer)
            node.hub.publish(committed.events, in: conversation)
            node.dispatcher.enqueue(committed.queued)
            #expect(node.dispatcher.isMaking(answer.id))
            try await listener.wait { $0.endedMessage == answer.id }
            let ended = try await node.message(answer.id, in: conversation, for: ann)
            #expect(ended.state == .complete && ended.run == answer.run)
            #expect(!ended.text.isEmpty)
        }
    }

    @Test("a run whose server was killed between the commit and its begin is taken over")
    func killed() async throws {
        try await withNode { node, ann in
            let dead = FreeSlots(
                node: UUID(),
                lease: .seconds(-1),
                count: 1,
                models: .allBut([])
            )
            let (conversation, committed) = try await store(node, by: ann, dead)
            let answer = committed.value.answer
            #expect(committed.queued.first?.claim != nil)
            let listener = EventListener(node.loop)
            try await listener.watch(conversation, of: ann, on: node)
            node.dispatcher.wake()
            try await listener.wait { $0.endedMessage == answer.id }
            let ended = try await node.message(answer.id, in: conversation, for: ann)
            #expect(ended.state == .complete && ended.run != answer.run)
        }
    }

    @Test("a run that a turn claims while the node shuts down goes back to the queue")
    func shutDown() async throws {
        try await withNode { node, ann in
            let offer = await offer(1, of: node)
            let drained = drain(node)
            // The other slot is offered until the node drains.
            while let other = node.dispatcher.offerSlots(atMost: 1) {
                node.dispatcher.withdraw(other)
                await Task.yield()
            }
            let (_, committed) = try await store(node, by: ann, offer)
            let answer = committed.value.answer.id
            #expect(committed.queued.first?.claim != nil)
            node.dispatcher.withdraw(offer)
            node.dispatcher.enqueue(committed.queued)
            #expect(!node.dispatcher.isMaking(answer))
            try await drained.value { drained.fail(CancellationError()) }
            try await expectUnclaimed(answer, on: node)
        }
    }

    @Test("a run that is claimed from the queue while the node shuts down goes back to it")
    func shutDownWhileClaiming() async throws {
        try await withNode { node, ann in
            let (_, committed) = try await store(node, by: ann, nil)
            let answer = committed.value.answer.id
            // The claim updates the message, and waits.
            let other = try BlockingConnection(node.database)
            try other.run("BEGIN")
            _ = try other.query(
                "SELECT FROM messages WHERE id = $1 FOR UPDATE",
                [.uuid(answer.uuid)]
            )
            node.dispatcher.wake()
            while try other.query(Self.waitingClaims).isEmpty { await Task.yield() }
            let drained = drain(node)
            try other.run("COMMIT")
            try await drained.value { drained.fail(CancellationError()) }
            #expect(!node.dispatcher.isMaking(answer))
            try await expectUnclaimed(answer, on: node)
        }
    }

    private static let waitingClaims = """
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """

    /// Begins to shut a node down.
    private func drain(_ node: Node) -> LoopPromise<Void, CancellationError> {
        let drained = LoopPromise<Void, CancellationError>(node.loop)
        node.loop.spawn {
            await node.dispatcher.drain(within: .zero)
            drained.succeed(())
        }
        return drained
    }

    /// Expects that another node can claim an answer at once, as its first attempt.
    private func expectUnclaimed(_ answer: MessageID, on node: Node) async throws {
        let claims = try await node.store.queue.claim(
            [answer],
            node: UUID(),
            lease: .seconds(60)
        )
        #expect(claims.map(\.message) == [answer])
        #expect(claims.first?.attempt == 1)
    }
}
