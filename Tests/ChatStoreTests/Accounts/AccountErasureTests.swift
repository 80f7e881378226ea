// The remains of a user who did everything, deleted in the middle of it.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

/// Users who do everything that leaves data, in random order.
private final class RandomUsers {
    let store: Store
    /// The user to delete.
    let deletedUser: User
    let others: [User]
    private let team: TeamID
    private var conversations: [Conversation] = []
    private var answers: [(Conversation, MessageID)] = []
    private var generator: SeededGenerator
    private var count = 0

    init(_ store: Store, seed: UInt64) async throws {
        self.store = store
        generator = SeededGenerator(seed: seed)
        deletedUser = try await store.someone("quixote")
        others = [try await store.someone(), try await store.someone()]
        team = try await store.teams.create(
            TeamCreateRequest(key: "t", name: "Bakers"),
            by: others[0]
        ).id
        _ = try await store.teams.create(
            TeamCreateRequest(key: "own", name: "Windmills"),
            by: deletedUser
        )
        try await join(deletedUser)
    }

    private func pick(_ upTo: Int) -> Int { Int.random(in: 0..<upTo, using: &generator) }
    private var anybody: User { ([deletedUser, deletedUser] + others)[pick(4)] }

    private func token() -> [UInt8] { (0..<32).map { _ in UInt8(pick(256)) } }

    private func key() -> String {
        count += 1
        return "key \(count)"
    }

    private func join(_ user: User) async throws {
        let token = token()
        _ = try await store.teams.invite(
            TeamInviteRequest(team: team),
            tokenHash: token,
            lifetime: .seconds(60),
            by: others[0]
        )
        _ = try await store.teams.join(tokenHash: token, by: user)
    }

    /// One random action; it may be refused.
    func act() async throws {
        do {
            switch pick(16) {
            case 0...1: try await begin()
            case 2...5: try await say()
            case 6...7: try await invite()
            case 8: try await leave()
            case 9: try await rate()
            case 10: try await share()
            case 11: try await signIn()
            case 12: try await join(anybody)
            case 13: _ = try await store.answer("hello to you")
            case 14: try await administer()
            default: try await delete()
            }
        } catch is WireError {}
    }

    private func begin() async throws {
        let request = ConversationCreateRequest(key: key(), team: pick(3) == 0 ? team : nil)
        conversations.append(
            try await store.conversations.create(request, model: "demo", by: anybody.id)
        )
    }

    private func say() async throws {
        guard let place = conversations.randomElement(using: &generator) else { return }
        let said = try await store.say("hello", in: place, by: anybody)
        answers.append((place, said.answer.id))
    }

    private func invite() async throws {
        guard let place = conversations.randomElement(using: &generator) else { return }
        let role: Role = pick(3) == 0 ? .owner : .editor
        _ = try await store.conversations.addMember(
            MemberAddRequest(conversation: place.id, user: anybody.name, role: role),
            by: anybody.id
        )
    }

    private func leave() async throws {
        guard let place = conversations.randomElement(using: &generator) else { return }
        let user = anybody
        _ = try await store.conversations.removeMember(
            MemberRemoveRequest(conversation: place.id, user: user.id),
            by: user.id
        )
    }

    private func rate() async throws {
        guard let (place, answer) = answers.randomElement(using: &generator) else { return }
        let user = anybody
        let request = MessageFeedbackRequest(
            conversation: place.id,
            message: answer,
            rating: pick(2) == 0 ? 1 : -1,
            text: "\(user.name) thinks so"
        )
        _ = try await store.messages.rate(request, by: user)
    }

    private func share() async throws {
        guard let place = conversations.randomElement(using: &generator) else { return }
        _ = try await store.shares.create(
            ShareCreateRequest(conversation: place.id),
            tokenHash: token(),
            by: anybody
        )
    }

    private func signIn() async throws {
        let user = anybody
        _ = try await store.sessions.add(
            user: user.id,
            tokenHash: token(),
            device: "\(user.name)'s phone",
            lifetime: SessionLifetime(idle: .seconds(60), absolute: .seconds(600))
        )
        _ = try await store.credentials.addKey(
            KeyCreateRequest(name: "of \(user.name)", scopes: [.read]),
            tokenHash: token(),
            of: user
        )
    }

    private func administer() async throws {
        try await store.credentials.linkOpenID(
            issuer: "https://example.com",
            subject: "quixote@example.com",
            to: deletedUser.id,
            by: .terminal
        )
        try await store.credentials.addResetLink(
            tokenHash: token(),
            for: deletedUser.id,
            lifetime: .seconds(60),
            by: Actor(others[0])
        )
        try await store.ledger.setBudget(
            TokenBudget(daily: 1_000_000),
            of: .user(deletedUser.id),
            by: Actor(deletedUser)
        )
    }

    private func delete() async throws {
        guard pick(4) == 0, let place = conversations.randomElement(using: &generator) else {
            return
        }
        _ = try await store.conversations.delete(place.id, by: anybody.id)
    }
}

extension TestDatabase {
    /// Each column that contains a text, as "table.column".
    fileprivate func columns(containing text: String) throws -> [String] {
        let columns = try query(
            """
            SELECT c.table_name::text, c.column_name::text
            FROM information_schema.columns c
            JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
                AND c.data_type IN ('text', 'jsonb', 'json', 'ARRAY', 'character varying')
            ORDER BY 1, 2
            """
        )
        return try columns.compactMap { row in
            let table = try row.decode("table_name", as: String.self)
            let column = try row.decode("column_name", as: String.self)
            let found = try query(
                """
                SELECT FROM "\(table)" WHERE "\(column)"::text ILIKE '%' || $1 || '%' LIMIT 1
                """,
                [.text(text)]
            )
            return found.isEmpty ? nil : "\(table).\(column)"
        }
    }
}

@Suite("Data left after erasure")
struct AccountErasureTests {
    @Test("contains no name, whatever the user did before and during it", arguments: UInt64(1)...6)
    func property(seed: UInt64) async throws {
        let database = try TestCluster.database(migrations: schema)
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: database.configuration,
                logger: Logger(label: "test")
            )
            let store = Store(pool: pool)
            let scene = try await RandomUsers(store, seed: seed)
            for _ in 0..<60 { try await scene.act() }
            #expect(try !database.columns(containing: "quixote").isEmpty, "nothing to erase")
            // Actions that began before the deletion continue, and some commit after it.
            let workers = (0..<4).map { _ in
                loop.spawn {
                    for _ in 0..<8 {
                        do { try await scene.act() } catch { Issue.record(error) }
                    }
                }
            }
            try await store.accounts.delete(scene.deletedUser.id, by: Actor(scene.deletedUser))
            try await store.erase()
            for worker in workers { await worker.wait() }
            let balance = try await store.ledger.imbalances()
            #expect(balance.isEmpty, "\(balance)")
            // The server repeats the erasure for an hour.
            try await store.erase()
            #expect(try database.columns(containing: "quixote").isEmpty)
            for (table, column) in UserTables.deletedAtOnce + UserTables.deletedLater
                + UserTables.left
            {
                let left = try database.query(
                    "SELECT FROM \(table) WHERE \(column) = $1 LIMIT 1",
                    [.uuid(scene.deletedUser.id.uuid)]
                )
                #expect(left.isEmpty, "\(table)")
            }
            // The remaining users can continue everywhere.
            let orphans = try database.query(
                """
                SELECT FROM conversations c WHERE c.deleted_at IS NULL AND NOT EXISTS (
                    SELECT FROM members m
                    WHERE m.conversation_id = c.id AND m.role = 'owner')
                """
            )
            #expect(orphans.isEmpty)
            #expect(try await store.ledger.imbalances().isEmpty)
            await pool.close()
        }
    }

    @Test("is specified for each table that references users")
    func tables() async throws {
        let database = try TestCluster.database(migrations: schema)
        let rows = try database.query(
            """
            SELECT k.conrelid::regclass::text AS table_name, a.attname::text AS column_name
            FROM pg_constraint k
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
            WHERE k.contype = 'f' AND k.confrelid = 'users'::regclass
            """
        )
        let known =
            UserTables.deletedAtOnce + UserTables.deletedLater + UserTables.left + UserTables.kept
        let there = try rows.map { row in
            let table = try row.decode("table_name", as: String.self)
            return "\(table).\(try row.decode("column_name", as: String.self))"
        }
        #expect(Set(there) == Set(known.map { "\($0).\($1)" }), "see UserTables")
    }

    @Test("keeps audit entries unchanged, except the name, and devices with their addresses")
    func auditLog() async throws {
        try await withSearch { store, database in
            let (ann, bob) = (try await store.someone("ann"), try await store.someone("bob"))
            try await store.accounts.disable(ann.id, by: Actor(bob))
            try await store.accounts.enable(ann.id, by: Actor(ann))
            let waiting = NewDeviceSignIn(
                deviceCodeHash: [UInt8](repeating: 1, count: 32),
                userCodeHash: [UInt8](repeating: 2, count: 32),
                device: "Ann's laptop",
                address: "192.0.2.1",
                place: nil
            )
            _ = try await store.credentials.addDeviceSignIn(
                waiting,
                lifetime: .seconds(60),
                pollInterval: 2
            )
            _ = try await store.credentials.answerDevice(
                userCodeHash: waiting.userCodeHash,
                isConfirmed: false,
                by: ann
            )
            let changes = [
                "UPDATE audit_log SET actor_name = 'deleted user'",
                "UPDATE audit_log SET detail = detail - 'name'",
                "UPDATE audit_log SET detail = NULL",
                "UPDATE audit_log SET action = 'x'",
                "DELETE FROM audit_log",
            ]
            for change in changes {
                #expect(throws: (any Error).self, "\(change)") { try database.run(change) }
            }
            try await store.accounts.delete(ann.id, by: Actor(ann))
            // One of the two names is Bob's and stays; an entry about the user may already have
            // lost it.
            for change in changes where !change.hasSuffix("detail - 'name'") {
                #expect(throws: (any Error).self, "\(change)") { try database.run(change) }
            }
            try await store.erase()
            let entries = try await store.audit.entries(AuditListRequest(), limit: 9).entries
            #expect(
                entries.map(\.action) == [
                    "user.deleted", "session.device_refused", "user.enabled", "user.disabled",
                ]
            )
            #expect(
                entries.map(\.actor.name) == [
                    DeletedUser.name, DeletedUser.name, DeletedUser.name, "bob",
                ]
            )
            #expect(entries.map(\.actor.id) == [ann.id, ann.id, ann.id, bob.id])
            #expect(entries.allSatisfy { $0.object == "\(ann.id)" && ($0.detail ?? [:]).isEmpty })
            let hers = try await store.audit.entries(AuditListRequest(actor: "\(ann.id)"), limit: 9)
            #expect(hers.entries.count == 3)
        }
    }

    @Test("is not exported, except messages")
    func exports() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone("ann"), try await store.someone("bob"))
            let conversation = try await store.shared(ann, bob)
            _ = try await store.say("said by Ann", in: conversation, by: ann)
            _ = try await store.answer("yes")
            try await store.removeWholly(ann)
            let file = try await store.exported()
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(text.contains("said by Ann") && text.contains(DeletedUser.name))
            #expect(!text.contains("\"ann\""), "\(text)")
        }
        // Importing an export from before does not restore the user.
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone("ann"), try await store.someone("bob"))
            let conversation = try await store.shared(ann, bob)
            _ = try await store.say("said by Ann", in: conversation, by: ann)
            _ = try await store.answer("yes")
            let file = try await store.exported()
            try await store.removeWholly(ann)
            try await store.imported(file.records)
            #expect(try await store.accounts.account(named: "ann") == nil)
            let now = try await store.conversations.conversation(conversation.id, for: bob.id)
            #expect(now.members.map(\.user.name) == ["bob"])
        }
    }
}
