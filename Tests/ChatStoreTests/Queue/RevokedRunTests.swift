import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

@Suite("Runs whose users lost the right to ask for them")
struct RevokedRunTests {
    @Test("are those of disabled users and of deleted conversations, and no others")
    func revoked() async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let store = Store(pool: pool)
            let (ann, bob) = (try await store.someone(), try await store.someone())
            var asked: [MessageID] = []
            for user in [ann, ann, bob] {
                let conversation = try await store.someConversation(of: user)
                asked.append(try await store.say("q", in: conversation, by: user).answer.id)
            }
            let (inDeleted, left, ofDisabled) = (asked[0], asked[1], asked[2])
            #expect(try await store.queue.revokedRuns().isEmpty)
            try await store.accounts.disable(bob.id, by: .terminal)
            #expect(try await store.queue.revokedRuns().map(\.message) == [ofDisabled])
            // A deletion takes its rows along; this is one that another program made.
            try database.run(
                """
                UPDATE conversations SET deleted_at = now() WHERE id =
                    (SELECT conversation_id FROM generations WHERE message_id = '\(inDeleted)')
                """
            )
            #expect(try await store.queue.revokedRuns().map(\.message) == [inDeleted, ofDisabled])
            #expect(try await store.queue.revokedRuns(of: ann.id).map(\.message) == [inDeleted])
            // The others do not see that anything happened.
            let rows = try await store.queue.rows(limit: 10)
            #expect(rows.map(\.answer.message) == [inDeleted, left, ofDisabled])
            await pool.close()
        }
        withExtendedLifetime(database) {}
    }

    @Test("leave the queue with the deletion of their conversation")
    func deletion() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            _ = try await store.say("q", in: conversation, by: ann)
            _ = try await store.conversations.delete(conversation.id, by: ann.id)
            #expect(try await store.queue.rows(limit: 10).isEmpty)
            #expect(try await store.queue.revokedRuns().isEmpty)
        }
    }

    @Test("are left to the node that has them and a stop request, as long as its lease holds")
    func requested() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let answer = try await store.say("q", in: conversation, by: ann).answer.id
            try await store.accounts.disable(ann.id, by: .terminal)
            let node = UUID()
            _ = try #require(try await store.claimRun(node: node, lease: .seconds(60)))
            #expect(try await store.queue.revokedRuns().map(\.message) == [answer])
            #expect(try await store.queue.requestStop(answer, seen: nil))
            #expect(try await store.queue.revokedRuns().isEmpty)
            _ = try await store.queue.renewLeases(of: [answer], node: node, lease: .seconds(-1))
            #expect(try await store.queue.revokedRuns().map(\.message) == [answer])
        }
    }
}
