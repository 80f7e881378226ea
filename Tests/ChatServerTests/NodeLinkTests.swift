import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

/// A bus that loses all incoming notifications without noticing.
private final class DeafBus: Bus {
    private let bus: PostgresBus

    init(_ bus: PostgresBus) { self.bus = bus }

    var node: UUID { bus.node }
    var isHearing: Bool { true }
    var hasOthers: Bool { bus.hasOthers }
    func start(_ receive: @escaping (BusNews) -> Void) { bus.start { _ in } }
    func stop() async { await bus.stop() }
    func send(_ wakeUp: WakeUp) { bus.send(wakeUp) }
    func watch(_ topic: UUID) async { await bus.watch(topic) }
    func change(watching: Set<UUID>, ended: Set<UUID>) {
        bus.change(watching: watching, ended: ended)
    }
}

@Suite("Several nodes")
struct NodeLinkTests {
    private func isComplete(_ answer: MessageID) -> (ServerEvent) -> Bool {
        { $0.endedMessage == answer }
    }

    @Test("events committed by one node reach subscribers on another, in order and without gap")
    func crossing() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (maker, other) = try Node.two(loop, configuration)
            let user = try await maker.addUser()
            let conversation = try await maker.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: other)
            for question in ["What is 2 + 3?", "What is the capital of Finland?"] {
                let answer = try await maker.ask(question, in: conversation, by: user)
                try await listener.wait(until: isComplete(answer))
            }
            let numbers = listener.events.compactMap(\.n)
            #expect(numbers == Array(1...Int64(numbers.count)))
            #expect(numbers.count == 7)
            await maker.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("a subscriber receives what was committed while its snapshot was read")
    func duringTheSnapshot() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (maker, other) = try Node.two(loop, configuration)
            let user = try await maker.addUser()
            let conversation = try await maker.makeConversation(by: user)
            let listener = EventListener(loop)
            other.hub.beginWatch(conversation, listener)
            await other.link.join(conversation)
            let known = try await other.store.conversations.conversation(conversation, for: user.id)
                .n
            let answer = try await maker.say("What is 2 + 3?", in: conversation, by: user)
            // The notifications may have arrived already or arrive later: both must work.
            other.hub.activate(conversation, listener, n: known)
            other.link.activated(conversation)
            try await listener.wait(until: isComplete(answer.id))
            await maker.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("a deletion on one node reaches another, and ends subscriptions to what was deleted")
    func deletion() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (first, second) = try Node.two(loop, configuration, makesAnswers: false)
            let ann = try await first.addUser()
            let gone = try await first.makeConversation(by: ann)
            let kept = try await first.makeConversation(by: ann)
            let listener = EventListener(loop)
            second.hub.connect(listener, of: ann)
            try await listener.watch(gone, of: ann, on: second)
            try await listener.watch(kept, of: ann, on: second)
            let heard = second.deletions
            let deletion = try await first.store.conversations.delete(gone, by: ann.id)
            first.hub.publish(deletion.events, in: gone)
            try await listener.wait(until: {
                if case .conversationDeleted = $0 { true } else { false }
            })
            #expect(!second.hub.isWatching(gone, listener))
            #expect(second.hub.isWatching(kept, listener))
            #expect(heard.conversations == [gone])
            let answer = try await first.ask("What is 2 + 3?", in: kept, by: ann)
            let question = try #require(try await first.message(answer, in: kept, for: ann).parent)
            _ = try await first.store.messages.delete(
                MessageDeleteRequest(conversation: kept, message: question),
                by: ann.id
            )
            try await listener.wait(until: {
                if case .messageDeleted = $0 { true } else { false }
            })
            #expect(heard.conversations == [gone, kept])
            #expect(second.hub.isWatching(kept, listener))
            second.hub.disconnect(listener, of: ann.id, watching: [kept])
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("an answer that runs on one node is streamed on the other, with the state of its run")
    func growing() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            // No engine: the test acts as the running node.
            let (maker, other) = try Node.two(loop, configuration, makesAnswers: false)
            let node = maker.link.bus.node
            let user = try await maker.addUser()
            let conversation = try await maker.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: other)
            let answer = try await maker.ask("Tell me a story.", in: conversation, by: user)
            let lease = Duration.seconds(30)
            let claimed = try await maker.store.queue.claim([answer], node: node, lease: lease)
            let run = try #require(claimed.first)
            _ = try await maker.store.runs.begin(run, node: node)
            try await maker.store.runs.storeNews([
                RunNews(
                    conversation: conversation,
                    message: answer,
                    run: run.run,
                    number: 1,
                    event: .messageProgress(
                        MessageProgress(
                            conversation: conversation,
                            message: answer,
                            done: 5,
                            total: 9
                        )
                    )
                )
            ])
            var end = 0
            for text in ["Once ", "upon a ", "time"] {
                let part = AnswerPart(
                    conversation: conversation,
                    message: answer,
                    run: run.run,
                    at: end,
                    text: text
                )
                _ = try await maker.store.runs.storeCheckpoints([part], engines: [:], node: node)
                end = part.end
                let wanted = end
                try await listener.wait { $0.delta?.to == wanted }
            }
            try await listener.wait { if case .messageProgress = $0 { true } else { false } }
            let outcome = RunOutcome(text: "Once upon a time", state: .complete, finish: .stop)
            let event = try #require(try await maker.store.runs.finish(run, outcome))
            maker.hub.publish([event], in: conversation)
            try await listener.wait(until: isComplete(answer))
            let deltas = listener.events.compactMap(\.delta)
            #expect(deltas.map(\.text).joined() == "Once upon a time")
            #expect(deltas.allSatisfy { $0.run == run.run })
            let numbers = listener.events.compactMap(\.n)
            #expect(numbers == Array(1...Int64(numbers.count)))
            await maker.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("an answer that another node takes over continues for subscribers where they are")
    func lostRun() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let silence = Silence(after: 12)
            let first = try Node(
                loop,
                configuration,
                isOneOfSeveral: true,
                slots: 1,
                lease: .seconds(3),
                keepInterval: .milliseconds(1),
                filter: { silence.pass($0) }
            )
            try first.pool.add(try Node.demo.get(), as: "demo")
            let user = try await first.addUser()
            let conversation = try await first.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: first)
            let message = try await first.ask("Tell me a long story.", in: conversation, by: user)
            try await listener.wait(until: { ($0.delta?.to ?? 0) > 20 })

            // Another node has the lease but has not started: the stored run is still the first
            // one's.
            let other = UUID()
            var claimed: [ClaimedRun] = []
            // The first node may renew its lease in between.
            while claimed.isEmpty, first.dispatcher.isMaking(message) {
                try await first.loseLeases(of: [message])
                claimed = try await first.store.queue.claim(
                    [message],
                    node: other,
                    lease: .seconds(60)
                )
            }
            #expect(claimed.map(\.message) == [message])
            while first.dispatcher.isMaking(message) {
                try await loop.sleep(for: .milliseconds(10))
            }
            let reply = try await first.store.events.catchUp(
                conversation,
                after: nil,
                have: [:],
                for: user.id,
                eventLimit: 10,
                pageLimit: 10
            )
            #expect(await first.link.adopt(reply.growing, in: conversation))

            let second = try Node(loop, configuration, isOneOfSeveral: true)
            try second.pool.add(try Node.demo.get(), as: "demo")
            // Either node may resume it.
            silence.end()
            _ = try await first.store.queue.renewLeases(
                of: [message],
                node: other,
                lease: .seconds(-1)
            )
            second.dispatcher.wake()
            try await listener.wait(until: { $0.endedMessage == message })
            var have = 0
            for event in listener.events {
                if case .messageRestarted(let restart) = event { have = min(have, restart.at) }
                if case .messageCompleted(let end) = event { have = end.text?.utf8.count ?? have }
                guard let delta = event.delta else { continue }
                #expect(delta.at == have)
                have = delta.to
            }
            let answer = try await second.message(message, in: conversation, for: user)
            #expect(have == answer.text.utf8.count)
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("lost notifications are compensated within a second or two")
    func lostNotifications() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration, isOneOfSeveral: true)
            try node.pool.add(try Node.demo.get(), as: "demo")
            let other = try Node(
                loop,
                configuration,
                isOneOfSeveral: true,
                makesAnswers: false,
                wrap: { DeafBus($0) }
            )
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: other)
            let answer = try await node.say("What is 2 + 3?", in: conversation, by: user)
            let written = loop.now
            try await listener.wait(until: isComplete(answer.id))
            #expect(loop.now - written < .seconds(3))
            await node.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("subscriptions are registered, and removed afterwards", .timeLimit(.minutes(1)))
    func subscriptions() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (first, second) = try Node.two(loop, configuration, makesAnswers: false)
            let ann = try await first.addUser()
            let kept = try await first.makeConversation(by: ann)
            let left = try await first.makeConversation(by: ann)
            let listener = EventListener(loop)
            second.hub.connect(listener, of: ann)
            try await listener.watch(kept, of: ann, on: second)
            try await listener.watch(left, of: ann, on: second)
            func topics() async throws -> Set<UUID> {
                let asked = [kept, left, ConversationID(ann.id.uuid)]
                let noted = try await first.store.nodes.watchedElsewhere(asked, than: first.id)
                return Set(noted.map(\.uuid))
            }
            func wait(for expected: Set<UUID>) async throws {
                while try await topics() != expected {
                    try await loop.sleep(for: .milliseconds(10))
                }
            }
            try await wait(for: [kept.uuid, left.uuid, ann.id.uuid])
            second.hub.unwatch(left, listener)
            try await wait(for: [kept.uuid, ann.id.uuid])
            try await listener.watch(left, of: ann, on: second)
            #expect(try await topics() == [kept.uuid, left.uuid, ann.id.uuid])
            second.hub.disconnect(listener, of: ann.id, watching: [kept, left])
            try await wait(for: [])
            await first.end()
            await second.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test(
        "a node that was removed as dead learns that notifications were lost, once it is registered again",
        .timeLimit(.minutes(1))
    )
    func takenForDead() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration, makesAnswers: false)
            // It does not listen, so that nothing else reports the loss.
            var settings = PostgresBus.Configuration(node: UUID(), name: "test", listening: nil)
            settings.signInterval = .milliseconds(20)
            let bus = PostgresBus(
                loop: loop,
                nodes: node.store.nodes,
                configuration: settings,
                logger: Logger(label: "test")
            )
            var missedCount = 0
            let topic = ConversationID.make()
            bus.start { if case .missed = $0 { missedCount += 1 } }
            await bus.watch(topic.uuid)
            // Its first heartbeat may come after the subscription, which is then registered again.
            while missedCount == 0 { try await loop.sleep(for: .milliseconds(10)) }
            try await node.store.nodes.forget(bus.node)
            while missedCount == 1 { try await loop.sleep(for: .milliseconds(10)) }
            #expect(try await node.store.nodes.watchedElsewhere([topic], than: node.id) == [topic])
            await bus.stop()
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    @Test("nothing is sent if no other node has subscribers")
    func silence() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let (maker, other) = try Node.two(loop, configuration)
            let user = try await maker.addUser()
            let quiet = try await maker.makeConversation(by: user)
            let watched = try await maker.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(watched, of: user, on: other)
            var heard: [WakeUp] = []
            let ready = LoopPromise<Void, Never>(loop)
            let told = LoopPromise<Void, Never>(loop)
            let ear = PostgresListener(
                loop: loop,
                configuration: configuration,
                channels: [WakeUp.channel(of: other.link.bus.node)]
            ) { event in
                switch event {
                case .listening: ready.succeed(())
                case .away: break
                case .notification(let notification):
                    guard let wakeUp = WakeUp(payload: notification.payload) else { return }
                    heard.append(wakeUp)
                    if wakeUp == .events(watched) { told.succeed(()) }
                }
            }
            await ready.value(cancelled: {})
            _ = try await maker.say("What is 2 + 3?", in: quiet, by: user)
            _ = try await maker.say("What is 2 + 3?", in: watched, by: user)
            await told.value(cancelled: {})
            #expect(!heard.contains(.events(quiet)))
            await ear.stop()
            await maker.end()
            await other.end()
        }
        withExtendedLifetime(database) {}
    }
}
