// Administrators' reads, independent of membership.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

@Suite("Administration of the server")
struct ServerAdministrationTests {
    @Test("the runs of all users are listed in pages without gaps or duplicates")
    func runs() async throws {
        try await withStore { store, _ in
            let users = [try await store.someone("ann"), try await store.someone("bob")]
            var asked: [MessageID] = []
            for number in 0..<5 {
                let user = users[number % 2]
                let conversation = try await store.someConversation(of: user)
                asked.append(try await store.say("Hello?", in: conversation, by: user).answer.id)
            }
            _ = try await store.claimRun(node: UUID(), lease: .seconds(60))
            var seen: [UnfinishedRun] = []
            while true {
                let page = try await store.queue.unfinishedRuns(after: seen.last?.cursor, limit: 2)
                seen += page
                if page.count < 2 { break }
            }
            #expect(seen.map(\.run.message) == asked)
            #expect(seen.map(\.run.user.name) == ["ann", "bob", "ann", "bob", "ann"])
            #expect(seen.count { $0.run.state == .streaming } == 1)
            let cursor = try #require(seen.first?.cursor)
            #expect(try RunCursor(cursor.text) == cursor)
            #expect(await refusal { _ = try RunCursor("0.x") } == .badRequest)
        }
    }

    @Test("a stop request is persisted, and audited if it has an effect")
    func stops() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            let root = Actor(try await store.someone("root"))
            let conversation = try await store.someConversation(of: ann)
            let answer = try await store.say("Hello?", in: conversation, by: ann).answer.id
            let stopped = try await store.queue.requestStop(answer, by: root)
            #expect(stopped.conversation == conversation.id)
            #expect(stopped.isUnfinished)
            _ = try await store.runs.stopWaiting(answer, in: conversation.id)
            let late = try await store.queue.requestStop(answer, by: root)
            #expect(!late.isUnfinished)
            #expect(late.state == .stopped)
            let code = await refusal { _ = try await store.queue.requestStop(.make(), by: root) }
            #expect(code == .notFound)
            let log = try await store.audit.entries(AuditListRequest(), limit: 10).entries
            #expect(log.map(\.action) == ["run.stopped"])
            #expect(log.first?.object == "\(answer)")
        }
    }

    @Test("a team's audit log contains the team's entries, and no others")
    func teams() async throws {
        let database = try TestCluster.database(migrations: schema)
        let team = TeamID.make()
        let other = TeamID.make()
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let store = Store(pool: pool)
            let ann = try await store.someone("ann")
            try database.run(
                """
                INSERT INTO teams (id, name) VALUES ('\(team)', 'a'), ('\(other)', 'b');
                INSERT INTO team_members (team_id, user_id, role)
                VALUES ('\(team)', '\(ann.id)', 'admin');
                INSERT INTO audit_log (actor_id, actor_name, action, team_id, object, detail) VALUES
                    ('\(ann.id)', 'ann', 'team.made', '\(team)', 'a', '{"k": "v"}'),
                    (NULL, 'the server', 'team.made', '\(other)', 'b', NULL),
                    (NULL, 'gone', 'user.deleted', NULL, 'x', '{"odd": [1]}');
                """
            )
            func actions(_ request: AuditListRequest) async throws -> [String] {
                try await store.audit.entries(request, limit: 10).entries.map(\.object)
            }
            #expect(try await actions(AuditListRequest()) == ["x", "b", "a"])
            #expect(try await actions(AuditListRequest(team: team)) == ["a"])
            #expect(try await actions(AuditListRequest(action: "team")) == ["b", "a"])
            #expect(try await actions(AuditListRequest(actor: "Ann")) == ["a"])
            #expect(try await actions(AuditListRequest(actor: "\(ann.id)")) == ["a"])
            // A deleted actor is found by name only.
            #expect(try await actions(AuditListRequest(actor: "gone")) == ["x"])
            #expect(try await store.teams.role(of: ann.id, in: team) == .admin)
            #expect(try await store.teams.role(of: ann.id, in: other) == nil)
            try database.run("UPDATE users SET disabled_at = now()")
            #expect(try await store.teams.role(of: ann.id, in: team) == nil)
            await pool.close()
        }
    }

    @Test("the database's own figures are plausible")
    func health() async throws {
        try await withStore { store, _ in
            let health = try await store.health.database()
            #expect(health.version >= 150_000)
            #expect(health.encoding == "UTF8")
            #expect(!health.isReplica)
            #expect(health.connectionCountMax > health.reservedConnectionCount)
            #expect(health.connectionCount > 0)
            #expect(health.byteCount > 1_000_000)
            #expect(abs(health.clockOffset) <= health.roundTripSeconds + 0.1)
            #expect(health.tables.contains { $0.name == "generations" })
            let queue = try await store.health.queue(looksForLost: true)
            #expect(queue.lostCount == 0)
            #expect(queue.waitingCount + queue.runningCount + queue.strayCount == 0)
        }
    }
}
