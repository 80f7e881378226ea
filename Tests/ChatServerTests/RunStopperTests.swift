import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Inference
import Postgres
import TestSupport
import Testing

@Suite("Ending a run early", .timeLimit(.minutes(1)))
struct RunStopperTests {
    private static let reasons: [StopReason] = [
        .requested(seen: 1), .administrator, .revoked, .deleted,
    ]

    @Test(
        "ends one that an engine here has, and persists that, whatever the reason",
        arguments: reasons
    )
    func running(reason: StopReason) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let gate = Gate()
            let node = try Node.withDemo(loop, configuration) { gate.pass($0) }
            defer { gate.open() }
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            let message = try await node.ask("Tell me a story.", in: conversation, by: user)
            try await listener.wait(until: { $0.delta?.message == message })
            try await node.link.stopper.stop(message, in: conversation, for: reason)
            // Its engine stands still: what outlives this node is in the database.
            let requests = try await node.store.queue.stopRequests(node: node.id)
            #expect(Array(requests.keys) == [message])
            gate.open()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await node.message(message, in: conversation, for: user)
            #expect(answer.state == .stopped)
            if case .requested = reason { #expect(answer.text.utf8.count == 1) }
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("ends a queued one at once", arguments: reasons)
    func queued(reason: StopReason) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            // A node without models: nothing is claimed.
            let node = try Node(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let message = try await node.ask("Hello!", in: conversation, by: user)
            try await node.link.stopper.stop(message, in: conversation, for: reason)
            let answer = try await node.message(message, in: conversation, for: user)
            #expect(answer.state == .stopped)
            #expect(try await node.store.queue.rows(limit: 10).isEmpty)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("persists it for one that another node has, which ends it when it comes to life")
    func elsewhere() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (maker, other) = try Node.two(loop, configuration)
            let user = try await maker.addUser()
            let conversation = try await maker.makeConversation(by: user)
            let release = await maker.holdPrompts()
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: other)
            let message = try await maker.ask("Hello!", in: conversation, by: user)
            while !maker.dispatcher.isMaking(message) { await Task.yield() }
            try await other.link.stopper.stop(message, in: conversation, for: .revoked)
            let requests = try await maker.store.queue.stopRequests(node: maker.id)
            // The notification of it may have ended the answer already, or come after its end.
            let isEnded = try await other.message(message, in: conversation, for: user).state
                .isFinal
            #expect(isEnded || Array(requests.keys) == [message])
            await maker.dispatcher.applyStopRequests()
            try await release()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await other.message(message, in: conversation, for: user)
            #expect(answer.state == .stopped)
            await maker.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }
}
