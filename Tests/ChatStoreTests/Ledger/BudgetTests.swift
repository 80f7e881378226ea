import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

@Suite("Budgets in the database")
struct StoredBudgetTests {
    /// A user with a conversation whose answers may have 100 tokens.
    private struct Asker {
        let store: Store
        let user: User
        let conversation: Conversation
        var limits = QueueLimits(total: 10_000, perUser: 10_000, answerTokens: 100)

        init(_ store: Store, default budget: TokenBudget = .unlimited) async throws {
            self.store = store
            user = try await store.someone()
            conversation = try await store.someConversation(of: user)
            limits.budgetPerUser = budget
        }

        @discardableResult
        func ask(in other: Conversation? = nil) async throws -> MessageSendReply {
            try await store.messages.send(
                MessageSendRequest(
                    conversation: (other ?? conversation).id,
                    key: UUID().uuidString,
                    text: "q"
                ),
                by: user,
                limits: limits
            ).value
        }

        func usage() async throws -> UsageGetReply {
            try await store.ledger.usage(of: .user(user.id), otherwise: limits.budgetPerUser)
        }

        func end(charged: Int) async throws {
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let usage = Usage(
                promptTokens: charged,
                cachedTokens: 0,
                completionTokens: 0,
                timeToFirstTokenMilliseconds: 1,
                tokensPerSecond: 1,
                chargedTokens: charged
            )
            _ = try await store.runs.finish(
                run,
                RunOutcome(text: "a", state: .complete, finish: .stop, usage: usage)
            )
        }
    }

    @Test("used and reserved tokens are reported before and after an answer, with the limit")
    func shown() async throws {
        try await withStore { store, _ in
            let asker = try await Asker(store, default: TokenBudget(daily: 1000))
            let before = try await asker.usage()
            #expect(before.day.used == 0 && before.day.reserved == 0 && before.day.limit == 1000)
            #expect(before.month.limit == nil)
            let reply = try await asker.ask()
            let reserved = try #require(reply.reserved)
            #expect(reply.allowance?.reserved == reserved && reply.allowance?.limit == 1000)
            #expect(try await asker.usage().day.reserved == reserved)
            try await asker.end(charged: 40)
            let after = try await asker.usage()
            #expect(after.day.used == 40 && after.day.reserved == 0)
            #expect(after.month.used == 40 && after.month.reserved == 0)
            #expect(try await asker.ask().allowance?.used == 40)
        }
    }

    @Test("a question over the limit is refused without effect; freed tokens can be used again")
    func limit() async throws {
        try await withStore { store, _ in
            let asker = try await Asker(store)
            let free = try await asker.ask()
            #expect(free.allowance == nil)
            let need = try #require(free.reserved)
            try await store.ledger.setBudget(
                TokenBudget(monthly: need * 2 + 50),
                of: .user(asker.user.id),
                by: .terminal
            )
            #expect(try await asker.ask().allowance?.period == .month)
            #expect(await refusal { try await asker.ask() } == .budgetExceeded)
            #expect(try await store.queue.generations(of: asker.user.id, limit: 10).count == 2)
            try await asker.end(charged: 10)
            try await asker.ask()
            #expect(try await store.ledger.imbalances().isEmpty)
            // Another user is not affected.
            try await Asker(store).ask()
        }
    }

    @Test("with little left an answer is shortened, and the ledger holds what is left")
    func shortened() async throws {
        try await withStore { store, _ in
            var made = try await Asker(store)
            made.limits.answerTokensMin = 16
            let asker = made
            let whole = try await asker.ask()
            #expect(whole.shortenedTo == nil)
            let need = try #require(whole.reserved)
            let prompt = need - 100
            try await store.ledger.setBudget(
                TokenBudget(daily: need + prompt + 26),
                of: .user(asker.user.id),
                by: .terminal
            )
            try await asker.end(charged: Int(need))
            let other = try await store.someConversation(of: asker.user)
            let short = try await asker.ask(in: other)
            #expect(short.shortenedTo == 26)
            #expect(short.reserved == prompt + 26)
            #expect(try await asker.usage().day.reserved == prompt + 26)
            let rows = try await store.queue.rows(limit: 10)
            #expect(rows.map(\.answer.answerTokens) == [26])
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            #expect(try await store.context.input(of: run, messageLimit: 10).shortenedTo == 26)
            let third = try await store.someConversation(of: asker.user)
            #expect(await refusal { try await asker.ask(in: third) } == .budgetExceeded)
            #expect(try await store.ledger.imbalances().isEmpty)
        }
    }

    @Test("of concurrent questions no more are accepted than fit the budget")
    func race() async throws {
        try await withStore { store, loop in
            let asker = try await Asker(store)
            var conversations: [Conversation] = []
            for _ in 0..<12 {
                conversations.append(try await store.someConversation(of: asker.user))
            }
            let need = try #require(try await asker.ask().reserved)
            try await store.ledger.setBudget(
                TokenBudget(daily: need * 5),
                of: .user(asker.user.id),
                by: .terminal
            )
            var refused = 0
            let tasks = conversations.map { conversation in
                loop.spawn {
                    do { try await asker.ask(in: conversation) } catch let error as WireError {
                        #expect(error.code == .budgetExceeded)
                        refused += 1
                    } catch { Issue.record(error) }
                }
            }
            for task in tasks { await task.wait() }
            #expect(refused == 8)
            #expect(try await asker.usage().day.reserved == need * 5)
        }
    }

    @Test("a team's limit covers all its members together, only in its conversations")
    func teams() async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            let store = Store(pool: pool)
            let (ann, bob) = (try await Asker(store), try await Asker(store))
            let need = try #require(try await ann.ask().reserved)
            try database.run(
                """
                INSERT INTO teams (id, name) VALUES (gen_random_uuid(), 'blue');
                INSERT INTO team_members (team_id, user_id, role)
                    SELECT t.id, u.id, 'member' FROM teams t, users u;
                UPDATE team_members SET role = 'admin' WHERE user_id = '\(ann.user.id)';
                UPDATE conversations SET team_id = (SELECT id FROM teams);
                """
            )
            let row = try database.query("SELECT id FROM teams").first
            let team = TeamID(try #require(try row?.decode(as: UUID.self)))
            try await store.ledger.setBudget(
                TokenBudget(daily: need * 2),
                of: .team(team),
                by: .server
            )
            #expect(try await ann.ask().allowance?.holder == .team)
            try await bob.ask()
            #expect(await refusal { try await bob.ask() } == .budgetExceeded)
            let own = try await store.someConversation(of: bob.user)
            try await bob.ask(in: own)
            let usage = try await store.ledger.usage(of: .team(team), otherwise: .unlimited)
            #expect(usage.day.reserved == need * 2 && usage.day.limit == need * 2)
            #expect(usage.day.used == 0)
            try await store.ledger.requireAudit(of: team, by: ann.user.id)
            #expect(
                await refusal { try await store.ledger.requireAudit(of: team, by: bob.user.id) }
                    == .forbidden
            )
            let stranger = try await store.someone()
            #expect(
                await refusal { try await store.ledger.requireAudit(of: team, by: stranger.id) }
                    == .notFound
            )
            await pool.close()
        }
        let said = try database.query("SELECT object, team_id::text FROM audit_log")
        #expect(said.count == 1)
        let entry = try #require(said.first)
        #expect(
            try entry.decode("object", as: String.self) == entry.decode("team_id", as: String.self)
        )
    }

    @Test("a limit for an unknown user or team is refused; without limits the server's apply")
    func setting() async throws {
        try await withStore { store, _ in
            for owner in [BudgetOwner.user(.make()), .team(.make())] {
                #expect(
                    await refusal {
                        try await store.ledger.setBudget(
                            TokenBudget(daily: 1),
                            of: owner,
                            by: .server
                        )
                    } == .notFound
                )
            }
            let asker = try await Asker(store, default: TokenBudget(daily: 1))
            #expect(await refusal { try await asker.ask() } == .budgetExceeded)
            let owner = BudgetOwner.user(asker.user.id)
            try await store.ledger.setBudget(TokenBudget(daily: 10_000), of: owner, by: .server)
            try await asker.ask()
            try await store.ledger.setBudget(.unlimited, of: owner, by: .server)
            #expect(await refusal { try await asker.ask() } == .budgetExceeded)
        }
    }

    @Test("days are listed in pages, by user")
    func list() async throws {
        try await withStore { store, _ in
            let askers = [try await Asker(store), try await Asker(store), try await Asker(store)]
            for asker in askers {
                for _ in 0..<2 {
                    try await asker.ask()
                    try await asker.end(charged: 20)
                }
            }
            var days: [UsageDay] = []
            var cursor: String?
            repeat {
                let page = try await store.ledger.usage(UsageListRequest(cursor: cursor), limit: 2)
                days += page.days
                cursor = page.cursor
            } while cursor != nil
            let users: [UserID] = askers.map(\.user.id).sorted { "\($0)" < "\($1)" }
            #expect(days.compactMap(\.user) == users)
            #expect(days.allSatisfy { $0.used == 40 && $0.answers == 2 && $0.name != nil })
            let none = try await store.ledger.usage(UsageListRequest(to: "2020-02-29"), limit: 2)
            #expect(none.days.isEmpty && none.cursor == nil)
            for request in [
                UsageListRequest(from: "2026-02-29"), UsageListRequest(to: "today"),
                UsageListRequest(cursor: "2026-02-28"),
            ] {
                #expect(
                    await refusal { _ = try await store.ledger.usage(request, limit: 2) }
                        == .badRequest
                )
            }
        }
    }
}
