import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

@Suite("Nodes on one database")
struct NodeTests {
    private let patience = Duration.seconds(10)

    @Test("a node learns whether it is new, and how many others are running")
    func census() async throws {
        try await withStore { store, _ in
            let (first, second) = (UUID(), UUID())
            let alone = try await store.nodes.sendHeartbeat(
                of: first,
                named: "a",
                patience: patience
            )
            #expect(alone.isNew && alone.otherCount == 0)
            let both = try await store.nodes.sendHeartbeat(
                of: second,
                named: "b",
                patience: patience
            )
            #expect(both.isNew && both.otherCount == 1)
            let again = try await store.nodes.sendHeartbeat(
                of: first,
                named: "a",
                patience: patience
            )
            #expect(!again.isNew && again.otherCount == 1)
            try await store.nodes.forget(second)
            let left = try await store.nodes.sendHeartbeat(
                of: first,
                named: "a",
                patience: patience
            )
            #expect(left.otherCount == 0)
        }
    }

    @Test("subscriptions of a dead node are removed, those of a running one are not")
    func death() async throws {
        try await withStore { store, loop in
            let (dead, living, asking) = (UUID(), UUID(), UUID())
            let conversations = [ConversationID.make(), ConversationID.make()]
            for node in [dead, living] {
                _ = try await store.nodes.sendHeartbeat(of: node, named: "n", patience: patience)
            }
            try await store.nodes.beginWatches(of: [conversations[0].uuid], by: dead)
            try await store.nodes.beginWatches(of: [conversations[1].uuid], by: living)
            #expect(
                try await store.nodes.watchedElsewhere(conversations, than: asking)
                    == Set(conversations)
            )
            try await loop.sleep(for: .milliseconds(50))
            _ = try await store.nodes.sendHeartbeat(of: living, named: "n", patience: patience)
            // Only the running node has a recent enough heartbeat.
            let census = try await store.nodes.sendHeartbeat(
                of: asking,
                named: "n",
                patience: .milliseconds(40)
            )
            #expect(census.otherCount == 1)
            #expect(
                try await store.nodes.watchedElsewhere(conversations, than: asking)
                    == [conversations[1]]
            )
            // A node that was removed by mistake must register its subscriptions again.
            let back = try await store.nodes.sendHeartbeat(of: dead, named: "n", patience: patience)
            #expect(back.isNew)
        }
    }

    @Test("after the clock was set back, a dead node's leases end when they would have ended")
    func clockStep() async throws {
        let database = try TestCluster.database(migrations: schema)
        try await withStore(of: database) { store, _ in
            let (dead, living) = (UUID(), UUID())
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("one", in: conversation, by: ann)
            _ = try await store.claimRun(node: dead, lease: .seconds(60))
            // As if all that had happened an hour later by the clock.
            try database.run(
                """
                INSERT INTO nodes (id, name, seen_at)
                    VALUES ('\(dead)', 'n', now() + interval '1 hour');
                UPDATE generations SET lease_until = lease_until + interval '1 hour';
                """
            )
            let first = try await store.nodes.sendHeartbeat(
                of: living,
                named: "n",
                patience: patience
            )
            let step = try #require(first.clockStep)
            // Twice, as two nodes do.
            for _ in 0..<2 { try await store.nodes.followClock(setBackBy: step) }
            let next = try await store.nodes.sendHeartbeat(
                of: living,
                named: "n",
                patience: patience
            )
            #expect(next.clockStep == nil)
            let left = try database.query(
                "SELECT extract(epoch FROM lease_until - now())::float8 AS seconds FROM generations"
            )
            let seconds: Double = try #require(left.first).decode("seconds")
            #expect(seconds > 0 && seconds <= 60)
        }
    }

    @Test("a subscription counts for other nodes, once, until it is ended")
    func watches() async throws {
        try await withStore { store, _ in
            let (own, other) = (UUID(), UUID())
            let conversation = ConversationID.make()
            try await store.nodes.beginWatches(of: [conversation.uuid], by: other)
            try await store.nodes.beginWatches(of: [conversation.uuid], by: other)
            let asked = [conversation]
            #expect(try await store.nodes.watchedElsewhere(asked, than: own) == [conversation])
            #expect(try await store.nodes.watchedElsewhere(asked, than: other) == [])
            try await store.nodes.endWatches(of: [conversation.uuid], by: other)
            #expect(try await store.nodes.watchedElsewhere(asked, than: own) == [])
        }
    }

    @Test("only commits with subscribers on another node are reported")
    func told() async throws {
        let database = try TestCluster.database(migrations: schema)
        let own = UUID()
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let observer = RecordingObserver()
            let store = Store(pool: pool, node: own, observer: observer)
            let user = try await store.someone()
            var conversations: [Conversation] = []
            for _ in 0..<3 { conversations.append(try await store.someConversation(of: user)) }
            try await store.nodes.beginWatches(of: [conversations[1].id.uuid], by: own)
            try await store.nodes.beginWatches(of: [conversations[2].id.uuid], by: UUID())
            for conversation in conversations {
                _ = try await store.say("Hello!", in: conversation, by: user)
            }
            let watched = CommittedChanges(eventsWatchedElsewhere: [conversations[2].id])
            #expect(observer.changes == [watched])
            await pool.close()
        }
        withExtendedLifetime(database) {}
    }

    @Test(
        "a notification is parsed from its own text",
        arguments: [
            WakeUp.events(.make()), .text(.make()), .watched(.make()), .stop(.make()),
            .gone(.make()), .user(.make()), .queue(sender: UUID()), .nodes(sender: UUID()),
            .models(sender: UUID()), .engines(sender: UUID()),
        ]
    )
    func payloads(wakeUp: WakeUp) {
        #expect(WakeUp(payload: wakeUp.payload) == wakeUp)
    }

    @Test("other texts are not notifications", arguments: ["", "e", "x\(UUID())", "e\(UUID())1"])
    func strangers(payload: String) {
        #expect(WakeUp(payload: payload) == nil)
    }
}

/// Records its calls.
private final class RecordingObserver: CommitObserver {
    private(set) var changes: [CommittedChanges] = []

    func committed(_ changes: CommittedChanges) { self.changes.append(changes) }
}
