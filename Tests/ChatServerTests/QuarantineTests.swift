import ChatProtocol
import ChatServer
import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("Answers whose last attempt ended without text")
struct QuarantineTests {
    @Test("begin one after the other")
    func order() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let silences = Silences()
            let node = try Node(
                loop,
                configuration,
                slots: 4,
                filter: { events in
                    silences.note(events)
                    return events
                }
            )
            let user = try await node.addUser()
            var asked: [(ConversationID, MessageID)] = []
            for _ in 0..<4 {
                let conversation = try await node.makeConversation(by: user)
                asked.append(
                    (conversation, try await node.ask("Who are you?", in: conversation, by: user))
                )
            }
            try await node.dieOver(4)
            let listeners = asked.map { _ in EventListener(loop) }
            for ((conversation, _), listener) in zip(asked, listeners) {
                try await listener.watch(conversation, of: user, on: node)
            }
            try node.pool.add(try Node.demo.get(), as: "demo")
            node.dispatcher.wake()
            for ((_, message), listener) in zip(asked, listeners) {
                try await listener.wait(until: { $0.endedMessage == message })
            }
            for (conversation, message) in asked {
                let answer = try await node.message(message, in: conversation, for: user)
                #expect(answer.state == .complete)
            }
            #expect(silences.most == 1)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("leave the other slots to other answers")
    func slots() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let silent = SilentFirstAnswer()
            let node = try Node(loop, configuration, slots: 2, filter: silent.pass)
            let user = try await node.addUser()
            let listener = EventListener(loop)
            for _ in 0..<3 {
                let conversation = try await node.makeConversation(by: user)
                _ = try await node.ask("Who are you?", in: conversation, by: user)
                try await listener.watch(conversation, of: user, on: node)
            }
            try await node.dieOver(3)
            try node.pool.add(try Node.demo.get(), as: "demo")
            node.dispatcher.wake()
            try await listener.wait {
                if case .messageStarted = $0 { true } else { false }
            }
            let conversation = try await node.makeConversation(by: user)
            let answer = try await node.say("Hello!", in: conversation, by: user)
            #expect(answer.state == .complete)
            #expect(node.dispatcher.activeCount == 1)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
