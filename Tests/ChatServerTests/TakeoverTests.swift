// What happens to an answer whose node dies, hangs or shuts down.

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

extension ServerEvent {
    fileprivate var restart: MessageRestarted? {
        if case .messageRestarted(let body) = self { body } else { nil }
    }
}

extension Node {
    /// A node whose engines hang after a number of text pieces. It runs one answer at a time, and
    /// renews its lease so seldom that it does not notice its loss.
    fileprivate static func falling(
        silentAfter count: Int,
        _ loop: EventLoop,
        _ configuration: PostgresConfiguration
    ) throws -> Node {
        let silence = Silence(after: count)
        // The checkpoint is written long before the engine, which continues silently, is done.
        return try withDemo(
            loop,
            configuration,
            slots: 1,
            lease: .seconds(3600),
            keepInterval: .milliseconds(1)
        ) {
            silence.pass($0)
        }
    }

    /// Waits for a checkpoint of an answer.
    fileprivate func waitForCheckpoint() async throws {
        let kept = LoopPromise<Void, CancellationError>(loop)
        peers.onStored = { _ in kept.succeed(()) }
        try await kept.value { kept.fail(CancellationError()) }
        peers.onStored = { _ in }
    }

    /// Claims the next answers like a node that dies while running them, after a checkpoint of each
    /// with a text, or with tokens that are no text yet; without a checkpoint if `text` is nil.
    func dieOver(_ count: Int, text: String? = nil) async throws {
        let ghost = UUID()
        let waiting = try await store.queue.rows(limit: count).map(\.answer.message)
        let runs = try await store.queue.claim(waiting, node: ghost, lease: .seconds(60))
        #expect(runs.count == count)
        for run in runs {
            _ = try #require(try await store.runs.begin(run, node: ghost))
            guard let text else { continue }
            let part = AnswerPart(
                conversation: run.conversation,
                message: run.message,
                run: run.run,
                at: 0,
                text: text,
                tokens: [1, 2]
            )
            _ = try await store.runs.storeCheckpoints(
                [part],
                engines: [run.message: "another"],
                node: ghost
            )
        }
        _ = try await store.queue.renewLeases(
            of: runs.map(\.message),
            node: ghost,
            lease: .seconds(-1)
        )
    }
}

@Suite("An answer whose node dies")
struct TakeoverTests {
    private static let question = "Tell me a long story."

    @Test("resumes from its checkpoint, and ends as it would have")
    func resumes() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let first = try Node.falling(silentAfter: 30, loop, configuration)
            let user = try await first.addUser()
            let conversation = try await first.makeConversation(by: user)
            let message = try await first.ask(Self.question, in: conversation, by: user)
            try await first.waitForCheckpoint()
            let kept = try #require(
                try await first.store.runs.storedAnswers(in: conversation).first
            )
            #expect(!kept.text.isEmpty)

            let second = try Node.withDemo(loop, configuration)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: second)
            // A subscriber that joins before the takeover sees the checkpoint.
            let reply = try await second.store.events.catchUp(
                conversation,
                after: nil,
                have: [message.description: 3],
                for: user.id,
                eventLimit: 10,
                pageLimit: 10
            )
            #expect(reply.growing.map(\.at) == [3])
            try await first.loseLeases(of: [message])
            second.dispatcher.wake()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await second.message(message, in: conversation, for: user)

            let restart = try #require(listener.events.compactMap(\.restart).first)
            #expect(restart.at > 0)
            #expect(restart.run != kept.run)
            #expect(answer.text.utf8.count > restart.at)
            let deltas = listener.events.compactMap(\.delta)
            #expect(deltas.first?.at == restart.at)
            #expect(deltas.last?.to == answer.text.utf8.count)
            #expect(second.allEngines.first?.requests.first?.answerPrefix.isEmpty == false)

            let other = try await second.makeConversation(by: user)
            let whole = try await second.say(Self.question, in: other, by: user)
            #expect(answer.text == whole.text)
            #expect(answer.usage?.completionTokens == whole.usage?.completionTokens)
            #expect(try await second.store.runs.storedAnswers(in: conversation).isEmpty)
            try await Self.expectReceipt(of: message, in: conversation, for: user, on: second)
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    private static func expectReceipt(
        of message: MessageID,
        in conversation: ConversationID,
        for user: User,
        on node: Node
    ) async throws {
        struct Receipt: Decodable {
            struct Place: Decodable { let bytes, tokens: Int }
            let attempts: Int
            let continuedAt: Place
            let run: RunReceipt

            enum CodingKeys: String, CodingKey {
                case attempts, run
                case continuedAt = "continued_at"
            }
        }
        let text = try await node.store.context.receipt(of: message, in: conversation, for: user.id)
        let receipt = try JSONDecoder().decode(
            Receipt.self,
            from: Data(try #require(text).utf8)
        )
        #expect(receipt.attempts == 2)
        #expect(receipt.continuedAt.bytes > 0)
        #expect(receipt.run.answer.givenCount == receipt.continuedAt.tokens)
    }

    @Test("resumes at once if its node shuts down in order")
    func drained() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let first = try Node.falling(silentAfter: 12, loop, configuration)
            let user = try await first.addUser()
            let conversation = try await first.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: first)
            let message = try await first.ask(Self.question, in: conversation, by: user)
            try await listener.wait(until: { ($0.delta?.to ?? 0) > 0 })
            await first.end()

            let second = try Node.withDemo(loop, configuration)
            let after = EventListener(loop)
            try await after.watch(conversation, of: user, on: second)
            try await after.wait(until: { $0.endedMessage == message })
            let restart = try #require(after.events.compactMap(\.restart).first)
            #expect(restart.at > 0)
            let answer = try await second.message(message, in: conversation, for: user)
            let other = try await second.makeConversation(by: user)
            #expect(answer.text == (try await second.say(Self.question, in: other, by: user)).text)
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("is next, before shorter answers that had not started")
    func next() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let ann = try await node.addUser("ann")
            let bob = try await node.addUser("bob")
            let long = String(repeating: "a long question ", count: 200)
            let begun = try await node.ask(
                long,
                in: try await node.makeConversation(by: ann),
                by: ann
            )
            func first() async throws -> MessageID? {
                var mirror = QueueMirror()
                mirror.beginReading()
                let rows = try await node.store.queue.rows(limit: 10)
                mirror.endReading(rows, isWhole: true, own: [])
                return mirror.next { _ in true }?.message
            }
            try await node.dieOver(1, text: "I was")
            let short = try await node.ask(
                "Hi",
                in: try await node.makeConversation(by: bob),
                by: bob
            )
            #expect(try await first() == begun)
            // While its lease holds, another node owns it.
            let claimed = try await node.store.queue.claim(
                [begun],
                node: UUID(),
                lease: .seconds(60)
            )
            #expect(claimed.map(\.message) == [begun])
            #expect(try await first() == short)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("starts again if another model generated its text or tokens", arguments: ["I was", ""])
    func otherModel(kept: String) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let message = try await node.ask("Who are you?", in: conversation, by: user)
            try await node.dieOver(1, text: kept)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            try node.pool.add(try Node.demo.get(), as: "demo")
            node.dispatcher.wake()
            try await listener.wait(until: { $0.endedMessage == message })
            #expect(listener.events.compactMap(\.restart).map(\.at) == [0])
            let answer = try await node.message(message, in: conversation, for: user)
            let other = try await node.makeConversation(by: user)
            #expect(answer.text == (try await node.say("Who are you?", in: other, by: user)).text)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("fails with an error after three attempts without text, and no other answer does")
    func repeatedCrashes() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let message = try await node.ask("Poison", in: conversation, by: user)
            for _ in 0..<3 { try await node.dieOver(1) }
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            try node.pool.add(try Node.demo.get(), as: "demo")
            node.dispatcher.wake()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await node.message(message, in: conversation, for: user)
            #expect(answer.state == .failed)
            #expect(answer.error?.message.contains("give up") == true)
            #expect(answer.error?.message.contains("three tries") == true)
            #expect(node.allEngines.first?.requests.isEmpty == true)
            let next = try await node.say("Hello!", in: conversation, by: user)
            #expect(next.state == .complete)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("that was stopped meanwhile ends with its checkpoint, as far as it was read")
    func stopped() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let message = try await node.ask("Who are you?", in: conversation, by: user)
            try await node.dieOver(1, text: "I was here")
            #expect(try await node.store.queue.requestStop(message, seen: 5))
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            try node.pool.add(try Node.demo.get(), as: "demo")
            node.dispatcher.wake()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await node.message(message, in: conversation, for: user)
            #expect(answer.state == .stopped)
            #expect(answer.text == "I was")
            #expect(node.allEngines.first?.requests.isEmpty == true)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("that is running ends when stopped through another node")
    func stoppedElsewhere() async throws {
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
            let message = try await node.ask(Self.question, in: conversation, by: user)
            try await listener.wait(until: { $0.delta?.message == message })
            #expect(try await node.store.queue.requestStop(message, seen: nil))
            await node.dispatcher.applyStopRequests()
            gate.open()
            try await listener.wait(until: { $0.endedMessage == message })
            let answer = try await node.message(message, in: conversation, for: user)
            #expect(answer.state == .stopped)
            #expect(!answer.text.isEmpty)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }
}
