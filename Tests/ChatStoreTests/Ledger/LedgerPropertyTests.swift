// The ledger under load: users ask, stop, edit and delete, nodes run answers and die, in random
// order from a seed, while its sums are checked.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

/// Executes random actions of random users and nodes.
private final class RandomLedgerUsers {
    let store: Store
    let users: [User]
    let nodes = [UUID(), UUID(), UUID()]
    var conversations: [Conversation] = []
    var messages: [(question: Message, answer: MessageID)] = []
    var runs: [(run: ClaimedRun, node: UUID)] = []
    var generator: SeededGenerator

    init(_ store: Store, _ users: [User], seed: UInt64) {
        self.store = store
        self.users = users
        generator = SeededGenerator(seed: seed)
    }

    private func pick(_ upTo: Int) -> Int { Int.random(in: 0..<upTo, using: &generator) }

    /// One random action; it may be refused.
    func act() async throws {
        do {
            switch pick(24) {
            case 0...6: try await say()
            case 7...8: try await sayAgain()
            case 9...13: try await begin()
            case 14...18: try await end()
            case 19...20: try await stop()
            case 21: try await die()
            case 22: try await delete()
            default:
                guard let last = messages.last else { return }
                try await store.context.addSummary(
                    "in short",
                    id: .make(),
                    of: last.question.conversation,
                    through: last.question.id,
                    receipt: ["a": "b"],
                    tokens: pick(100)
                )
            }
        } catch is WireError {}
    }

    private func say() async throws {
        let user = users[pick(users.count)]
        if conversations.count < 6 {
            let made = try await store.someConversation(of: user)
            for other in users where other.id != user.id {
                let request = MemberAddRequest(conversation: made.id, user: other.name)
                _ = try await store.conversations.addMember(request, by: user.id)
            }
            conversations.append(made)
        }
        let conversation = conversations[pick(conversations.count)]
        let reply = try await store.say("hello", in: conversation, by: user)
        messages.append((reply.message, reply.answer.id))
    }

    private func sayAgain() async throws {
        guard let old = messages.randomElement(using: &generator) else { return }
        let user = users[pick(users.count)]
        let key = UUID().uuidString
        let conversation = old.question.conversation
        if pick(2) == 0 {
            let request = MessageEditRequest(
                conversation: conversation,
                key: key,
                message: old.question.id,
                text: "or rather"
            )
            let reply = try await store.messages.edit(request, by: user, limits: wide).value
            messages.append((reply.message, reply.answer.id))
        } else {
            let request = MessageAgainRequest(
                conversation: conversation,
                key: key,
                message: old.question.id
            )
            let reply = try await store.messages.regenerate(request, by: user, limits: wide).value
            messages.append((old.question, reply.answer.id))
        }
    }

    private func begin() async throws {
        let node = nodes[pick(nodes.count)]
        guard let run = try await store.claimRun(node: node, lease: .seconds(60)),
            try await store.runs.begin(run, node: node) != nil
        else { return }
        runs.append((run, node))
        guard pick(3) > 0 else { return }
        let part = AnswerPart(
            conversation: run.conversation,
            message: run.message,
            run: run.run,
            at: 0,
            text: "text",
            tokens: Array(repeating: 1, count: pick(9) + 1)
        )
        _ = try await store.runs.storeCheckpoints([part], engines: [run.message: "e"], node: node)
    }

    private func end() async throws {
        guard !runs.isEmpty else { return }
        let (run, _) = runs.remove(at: pick(runs.count))
        let states: [(MessageState, FinishReason)] = [
            (.complete, .stop), (.stopped, .stopped), (.failed, .error),
        ]
        let (state, finish) = states[pick(3)]
        let usage =
            pick(4) == 0
            ? nil
            : Usage(
                promptTokens: 50,
                cachedTokens: 20,
                completionTokens: pick(40),
                timeToFirstTokenMilliseconds: 1,
                tokensPerSecond: 1,
                chargedTokens: pick(3) == 0 ? nil : pick(90)
            )
        _ = try await store.runs.finish(
            run,
            RunOutcome(text: "text", state: state, finish: finish, usage: usage)
        )
    }

    private func stop() async throws {
        guard let old = messages.randomElement(using: &generator) else { return }
        _ = try await store.runs.stopWaiting(old.answer, in: old.question.conversation)
    }

    /// Expires a node's lease, so that another one may take over.
    private func die() async throws {
        guard !runs.isEmpty else { return }
        let (run, node) = runs.remove(at: pick(runs.count))
        _ = try await store.queue.renewLeases(of: [run.message], node: node, lease: .seconds(-1))
    }

    private func delete() async throws {
        guard let old = messages.randomElement(using: &generator) else { return }
        let conversation = old.question.conversation
        let user = users[pick(users.count)]
        if pick(4) == 0 {
            _ = try await store.conversations.delete(conversation, by: user.id)
            conversations.removeAll { $0.id == conversation }
        } else {
            let request = MessageDeleteRequest(
                conversation: conversation,
                message: old.question.id
            )
            _ = try await store.messages.delete(request, by: user.id)
        }
    }
}

@Suite("The ledger under load", .timeLimit(.minutes(2)))
struct LedgerPropertyTests {
    @Test(
        "balances at every commit, without deadlocks",
        arguments: [1, 2, 3] as [UInt64]
    )
    func property(seed: UInt64) async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            try await Self.run(Store(pool: pool), database, loop, seed)
            await pool.close()
        }
        let deadlocks = try database.query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        )
        #expect(try deadlocks.first?.decode(as: Int64.self) == 0)
    }

    private static func run(
        _ store: Store,
        _ database: TestDatabase,
        _ loop: EventLoop,
        _ seed: UInt64
    ) async throws {
        var users: [User] = []
        for _ in 0..<4 { users.append(try await store.someone()) }
        let actors = RandomLedgerUsers(store, users, seed: seed)
        for _ in 0..<20 { try await actors.act() }
        // Half of the conversations belong to a team from here on.
        try database.run(
            """
            INSERT INTO teams (id, name) VALUES (gen_random_uuid(), 'blue');
            INSERT INTO team_members (team_id, user_id, role)
                SELECT t.id, u.id, 'member' FROM teams t, users u;
            UPDATE conversations SET team_id = (SELECT id FROM teams)
                WHERE get_byte(uuid_send(id), 15) % 2 = 0;
            """
        )
        var isOver = false
        let auditor = loop.spawn {
            do {
                while !isOver {
                    let findings = try await store.ledger.imbalances()
                    #expect(findings.isEmpty)
                }
            } catch { Issue.record(error) }
        }
        let workers = (0..<8).map { _ in
            loop.spawn {
                for _ in 0..<50 {
                    do { try await actors.act() } catch { Issue.record(error) }
                }
            }
        }
        for worker in workers { await worker.wait() }
        isOver = true
        await auditor.wait()
        #expect(try await store.ledger.imbalances().isEmpty)
        // All queued answers end: nothing stays reserved.
        try database.run("DELETE FROM generations")
        #expect(try await store.ledger.imbalances().isEmpty)
        let open = try database.query(
            "SELECT sum(reserved)::bigint AS reserved, sum(used)::bigint AS used FROM ledger"
        )
        #expect(try open.first?.decode("reserved", as: Int64.self) == 0)
        #expect(try #require(try open.first?.decode("used", as: Int64.self)) > 0)
    }
}
