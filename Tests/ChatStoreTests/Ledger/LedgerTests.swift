import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

/// A store, and direct access to its database.
private func withLedger(
    _ body: @escaping @Sendable (Store, TestDatabase) async throws -> Void
) async throws {
    let database = try TestCluster.database(migrations: schema)
    try await EventLoop.run { loop in
        let pool = PostgresPool(
            loop: loop,
            configuration: database.configuration,
            logger: Logger(label: "test")
        )
        try await body(Store(pool: pool), database)
        await pool.close()
    }
}

/// A ledger entry without ids and times.
private struct Entry: Hashable {
    let kind: String
    let reserved: Int64
    let used: Int64
}

extension TestDatabase {
    fileprivate func entries(of answer: MessageID) throws -> [Entry] {
        try query(
            """
            SELECT kind, reserved, used FROM ledger WHERE answer_id = $1
            ORDER BY kind <> 'reserve'
            """,
            [.uuid(answer.uuid)]
        ).map { row in
            Entry(
                kind: try row.decode("kind", as: String.self),
                reserved: try row.decode("reserved", as: Int64.self),
                used: try row.decode("used", as: Int64.self)
            )
        }
    }

    /// Moves all conversations to a team that all users are in.
    fileprivate func makeTeam() throws {
        try run(
            """
            INSERT INTO teams (id, name) VALUES (gen_random_uuid(), 'blue');
            INSERT INTO team_members (team_id, user_id, role)
                SELECT t.id, u.id, 'member' FROM teams t, users u;
            UPDATE conversations SET team_id = (SELECT id FROM teams);
            """
        )
    }

    fileprivate func number(_ sql: String) throws -> Int64? {
        try query(sql).first?.decode(as: Int64?.self)
    }
}

extension RunOutcome {
    fileprivate static func ended(
        _ state: MessageState,
        charged: Int? = nil
    ) -> RunOutcome {
        RunOutcome(
            text: "text",
            state: state,
            finish: state == .failed ? .error : state == .stopped ? .stopped : .stop,
            usage: charged.map { charged in
                Usage(
                    promptTokens: 100,
                    cachedTokens: 40,
                    completionTokens: 5,
                    timeToFirstTokenMilliseconds: 1,
                    tokensPerSecond: 1,
                    chargedTokens: charged
                )
            },
            error: state == .failed ? WireError(.engineFailed, "it failed") : nil
        )
    }
}

@Suite("The ledger")
struct LedgerTests {
    /// A question whose answer a node has started.
    private struct Begun {
        let store: Store
        let user: User
        let conversation: Conversation
        let reply: MessageSendReply
        let run: ClaimedRun
        let node = UUID()

        init(_ store: Store) async throws {
            self.store = store
            user = try await store.someone()
            conversation = try await store.someConversation(of: user)
            reply = try await store.say("q", in: conversation, by: user)
            run = try #require(try await store.claimRun(node: node, lease: .seconds(60)))
            _ = try await store.runs.begin(run, node: node)
        }

        func keep(_ tokens: [Int32]) async throws {
            let part = AnswerPart(
                conversation: conversation.id,
                message: run.message,
                run: run.run,
                at: 0,
                text: "text",
                tokens: tokens
            )
            _ = try await store.runs.storeCheckpoints(
                [part],
                engines: [run.message: "e"],
                node: node
            )
        }
    }

    @Test(
        "an answer reserves tokens when it is queued, and is settled with its usage, however it ends",
        arguments: [MessageState.complete, .stopped, .failed]
    )
    func settling(state: MessageState) async throws {
        try await withLedger { store, database in
            let begun = try await Begun(store)
            let reserved = try #require(begun.reply.reserved)
            #expect(reserved > 1024)
            let reservation = Entry(kind: "reserve", reserved: reserved, used: 0)
            #expect(try database.entries(of: begun.run.message) == [reservation])
            _ = try await store.runs.finish(begun.run, .ended(state, charged: 65))
            #expect(
                try database.entries(of: begun.run.message) == [
                    reservation, Entry(kind: "settle", reserved: -reserved, used: 65),
                ]
            )
            #expect(try database.number("SELECT used FROM usage_days") == 65)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test("an answer that never started costs nothing")
    func release() async throws {
        try await withLedger { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let waiting = try await store.say("q", in: conversation, by: ann)
            _ = try await store.runs.stopWaiting(waiting.answer.id, in: conversation.id)
            let refused = try await store.say("q", in: conversation, by: ann).answer.id
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            _ = try await store.runs.finish(run, .ended(.failed))
            for answer in [waiting.answer.id, refused] {
                let entries = try database.entries(of: answer)
                #expect(entries.map(\.kind) == ["reserve", "release"])
                #expect(entries.map(\.used) == [0, 0])
                #expect(entries.reduce(0) { $0 + $1.reserved } == 0)
            }
            #expect(try database.number("SELECT count(*) FROM usage_days") == 0)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test("an answer deleted while it runs is charged for its prompt and its checkpoint")
    func deletion() async throws {
        try await withLedger { store, database in
            for isWhole in [false, true] {
                let begun = try await Begun(store)
                try await begun.keep([1, 2, 3])
                let prompt = try database.number("SELECT prompt_tokens::bigint FROM generations")
                if isWhole {
                    _ = try await store.conversations.delete(
                        begun.conversation.id,
                        by: begun.user.id
                    )
                } else {
                    let request = MessageDeleteRequest(
                        conversation: begun.conversation.id,
                        message: begun.reply.message.id
                    )
                    _ = try await store.messages.delete(request, by: begun.user.id)
                }
                let used = try database.entries(of: begun.run.message).map(\.used)
                #expect(used == [0, try #require(prompt) + 3])
                // Its engine ends it later: nothing is left to settle.
                #expect(
                    try await store.runs.finish(begun.run, .ended(.complete, charged: 9)) == nil
                )
                #expect(try await store.ledger.imbalances().isEmpty)
            }
        }
    }

    @Test("an answer stopped after its node died is charged for its checkpoint")
    func death() async throws {
        try await withLedger { store, database in
            let begun = try await Begun(store)
            try await begun.keep([1, 2])
            let messages = [begun.run.message]
            _ = try await store.queue.renewLeases(
                of: messages,
                node: begun.node,
                lease: .seconds(-1)
            )
            let prompt = try database.number("SELECT prompt_tokens::bigint FROM generations")
            _ = try await store.runs.stopWaiting(begun.run.message, in: begun.conversation.id)
            let used = try database.entries(of: begun.run.message).map(\.used)
            #expect(used == [0, try #require(prompt) + 2])
        }
    }

    @Test("entries outlive their user, whose answers are settled when the account is deleted")
    func purge() async throws {
        try await withLedger { store, database in
            let begun = try await Begun(store)
            try database.run("DELETE FROM users")
            #expect(try database.entries(of: begun.run.message).count == 2)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test(
        "entries can be neither changed nor deleted",
        arguments: [
            "UPDATE ledger SET used = 0", "DELETE FROM ledger", "TRUNCATE ledger",
        ]
    )
    func permanence(statement: String) async throws {
        try await withLedger { store, database in
            _ = try await Begun(store)
            #expect(throws: PostgresError.self) { try database.run(statement) }
        }
    }

    @Test("a team pays for its conversations, even if it loses them before the end")
    func teams() async throws {
        try await withLedger { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            try database.makeTeam()
            for _ in 0..<2 {
                _ = try await store.say("q", in: conversation, by: ann)
                let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
                try database.run("UPDATE conversations SET team_id = NULL")
                _ = try await store.runs.finish(run, .ended(.complete, charged: 30))
                try database.run("UPDATE conversations SET team_id = (SELECT id FROM teams)")
            }
            #expect(try database.number("SELECT sum(used)::bigint FROM team_usage_days") == 60)
            let counted = "SELECT used FROM usage_days WHERE team_id IS NOT NULL"
            #expect(try database.number(counted) == 60)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test("summaries are charged to the server, stored or not")
    func summaries() async throws {
        try await withLedger { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let message = try await store.say("q", in: conversation, by: ann).message.id
            for isFirst in [true, false] {
                let isStored = try await store.context.addSummary(
                    "in short",
                    id: .make(),
                    of: conversation.id,
                    through: message,
                    receipt: ["a": "b"],
                    tokens: 70
                )
                #expect(isStored == isFirst)
            }
            let counted = "SELECT used FROM usage_days WHERE user_id IS NULL"
            #expect(try database.number(counted) == 140)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test(
        "inconsistent entries are found",
        arguments: [
            "UPDATE usage_days SET used = used + 1", "UPDATE usage_days SET day = day - 1",
            "UPDATE team_usage_days SET used = used - 1", "UPDATE generations SET reserved = 1",
            "ALTER TABLE generations DISABLE TRIGGER generations_settle; DELETE FROM generations",
            """
            INSERT INTO ledger (answer_id, kind, day, reserved, used)
            VALUES (gen_random_uuid(), 'settle', '2026-01-01', -5, 5)
            """,
        ]
    )
    func findings(statement: String) async throws {
        try await withLedger { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            try database.makeTeam()
            _ = try await store.say("q", in: conversation, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            _ = try await store.runs.finish(run, .ended(.complete, charged: 30))
            _ = try await store.say("q", in: conversation, by: ann)
            #expect(try await store.ledger.imbalances().isEmpty)
            try database.run(statement)
            #expect(try await !store.ledger.imbalances().isEmpty)
            #expect(try await store.ledger.imbalances(since: "2999-01-01").isEmpty)
        }
    }
}
