// Lists under load: many users change many conversations concurrently, while others follow.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport
import Testing

/// Records each allocated number, and each row that gets one.
private let audit = """
    CREATE TABLE taken (user_id uuid, u bigint);
    CREATE TABLE borne (user_id uuid, u bigint);
    CREATE FUNCTION note_taken() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE before bigint := CASE TG_OP WHEN 'UPDATE' THEN (to_jsonb(OLD) ->> 'u')::bigint END;
    BEGIN
        -- A deleted folder takes several numbers at once.
        INSERT INTO taken
        SELECT NEW.user_id, u FROM generate_series(coalesce(before, 0) + 1, NEW.u) AS u;
        RETURN NULL;
    END $$;
    CREATE FUNCTION note_borne() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO borne VALUES (NEW.user_id, (to_jsonb(NEW) ->> TG_ARGV[0])::bigint);
        RETURN NULL;
    END $$;
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON list_positions
        FOR EACH ROW EXECUTE FUNCTION note_taken();
    CREATE TRIGGER note_folders AFTER INSERT ON list_positions
        FOR EACH ROW WHEN (NEW.folders_u > 0) EXECUTE FUNCTION note_borne('folders_u');
    CREATE TRIGGER note_folders_again AFTER UPDATE ON list_positions
        FOR EACH ROW WHEN (NEW.folders_u <> OLD.folders_u)
        EXECUTE FUNCTION note_borne('folders_u');
    CREATE TRIGGER note AFTER INSERT OR UPDATE OF list_u ON members
        FOR EACH ROW EXECUTE FUNCTION note_borne('list_u');
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON unlisted
        FOR EACH ROW EXECUTE FUNCTION note_borne('u');
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON team_changes
        FOR EACH ROW EXECUTE FUNCTION note_borne('u');
    """

/// A client's copy of a list, built from changes alone.
private struct Replica {
    var u: Int64 = 0
    var conversations: [ConversationID: Conversation] = [:]
    var teams: [TeamID: Team] = [:]
    var folders: [Folder] = []

    mutating func take(_ changes: [ListChange]) {
        for change in changes {
            #expect(change.u > u, "numbers that do not rise")
            switch change.subject {
            case .listed(let summary): conversations[summary.id] = summary
            case .unlisted(let conversation): conversations[conversation] = nil
            case .team(let team): teams[team.id] = team
            case .left(let team): teams[team] = nil
            case .folders(let all): folders = all
            }
            u = change.u
        }
    }

    mutating func take(_ reply: ConversationListReply) {
        for entry in reply.unlisted ?? [] { conversations[entry.conversation] = nil }
        for conversation in reply.conversations { conversations[conversation.id] = conversation }
        if let all = reply.folders { folders = all }
        if let all = reply.teams { teams = Dictionary(all.map { ($0.id, $0) }) { $1 } }
        u = reply.u
    }
}

/// Executes random actions of random users.
private final class RandomListUsers {
    let store: Store
    let users: [User]
    /// The first user's.
    let team: Team
    var conversations: [Conversation] = []
    var generator: SeededGenerator

    init(_ store: Store, _ users: [User], _ team: Team, seed: UInt64) {
        self.store = store
        self.users = users
        self.team = team
        generator = SeededGenerator(seed: seed)
    }

    /// One random action; it may be refused.
    func act() async throws {
        let user = users[Int.random(in: users.indices, using: &generator)]
        let other = users[Int.random(in: users.indices, using: &generator)]
        let dice = Int.random(in: 0..<24, using: &generator)
        let conversation = conversations.randomElement(using: &generator)
        let number = Int64.random(in: 0..<12, using: &generator)
        do {
            switch (dice, conversation) {
            case (0, _), (_, nil):
                conversations.append(try await store.someConversation(of: user))
            case (1...2, let conversation?):
                _ = try await store.conversations.update(
                    ConversationUpdateRequest(conversation: conversation.id, title: "\(dice)"),
                    by: user.id
                )
            case (3...7, let conversation?):
                let text = number < 6 ? "hello @\(other.name)" : "hello"
                _ = try await store.say(text, in: conversation, by: user)
            case (8...11, _): _ = try await store.answer("hi")
            case (12...14, let conversation?):
                let role = Role.allCases[Int(number) % 3]
                _ = try await store.conversations.addMember(
                    MemberAddRequest(conversation: conversation.id, user: other.name, role: role),
                    by: user.id
                )
            case (15, let conversation?):
                _ = try await store.conversations.removeMember(
                    MemberRemoveRequest(conversation: conversation.id, user: other.id),
                    by: user.id
                )
            case (16, let conversation?) where number == 0:
                _ = try await store.conversations.delete(conversation.id, by: user.id)
            case (17, _):
                _ = try await store.teams.rename(
                    TeamUpdateRequest(team: team.id, name: "Team \(number)"),
                    by: users[0]
                )
            case (18, _) where number < 4:
                _ = try await store.remove(other, from: team.id, by: other)
            case (18, _): try await comeIntoTeam(other)
            case (19...22, let conversation?):
                try await sort(conversation, by: user, number)
            case (_, let conversation?):
                _ = try await store.lists.markRead(
                    ConversationReadRequest(conversation: conversation.id, n: number),
                    by: user.id
                )
            }
        } catch is WireError {}
    }

    /// Sorts a conversation into a folder or tags it, or changes the folders.
    private func sort(
        _ conversation: Conversation,
        by user: User,
        _ number: Int64
    ) async throws {
        let folders = try await store.folders.list(of: user.id)
        let folder = folders.randomElement(using: &generator)
        switch (number, folder) {
        case (0...1, _), (_, nil):
            let request = FolderCreateRequest(name: "Folder \(number)")
            _ = try await store.folders.create(request, by: user.id)
        case (2, let folder?): try await store.folders.delete(folder.id, by: user.id)
        case (3, let folder?):
            let request = FolderRenameRequest(folder: folder.id, name: "Folder of \(number)")
            _ = try await store.folders.rename(request, by: user.id)
        case (4...5, _):
            let tags = (0..<number).map { "tag \($0)" }
            let request = ConversationTagRequest(conversation: conversation.id, tags: tags)
            _ = try await store.folders.tag(request, by: user.id)
        case (_, let folder?):
            let request = ConversationFileRequest(
                conversation: conversation.id,
                folder: number == 6 ? nil : folder.id
            )
            try await store.folders.file(request, by: user.id)
        }
    }

    private func comeIntoTeam(_ user: User) async throws {
        let token = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = try await store.teams.invite(
            TeamInviteRequest(team: team.id),
            tokenHash: token,
            lifetime: .seconds(60),
            by: users[0]
        )
        _ = try await store.teams.join(tokenHash: token, by: user)
    }
}

@Suite("Lists under load", .timeLimit(.minutes(2)))
struct ListPropertyTests {
    @Test(
        "numbers have no gaps, and changes from any position lead to the current list",
        arguments: [1, 2, 3] as [UInt64]
    )
    func property(seed: UInt64) async throws {
        let database = try TestCluster.database(migrations: schema)
        try database.run(audit)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            try await Self.run(Store(pool: pool), loop, seed)
            await pool.close()
        }
        // Each number from 1 on was allocated once, for one row.
        let gaps = try database.query(
            """
            SELECT user_id FROM taken GROUP BY user_id
            HAVING count(*) <> max(u) OR count(DISTINCT u) <> max(u) OR min(u) <> 1
            """
        )
        #expect(gaps.isEmpty)
        let unborne = try database.query(
            """
            (TABLE taken EXCEPT ALL TABLE borne) UNION ALL (TABLE borne EXCEPT ALL TABLE taken)
            """
        )
        #expect(unborne.isEmpty)
        let deadlocks = try database.query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        )
        #expect(try deadlocks.first?.decode(as: Int64.self) == 0)
    }

    private static func run(_ store: Store, _ loop: EventLoop, _ seed: UInt64) async throws {
        var users: [User] = []
        for _ in 0..<5 { users.append(try await store.someone()) }
        let team = try await store.teams.create(
            TeamCreateRequest(key: "t", name: "Team"),
            by: users[0]
        )
        let actors = RandomListUsers(store, users, team, seed: seed)
        for _ in 0..<8 { try await actors.act() }
        var workers: [LoopTask] = []
        for _ in 0..<8 {
            workers.append(
                loop.spawn {
                    for _ in 0..<40 {
                        do { try await actors.act() } catch { Issue.record(error) }
                    }
                }
            )
        }
        // Meanwhile each list is followed, a few changes at a time, and copies of it are kept.
        var isOver = false
        var kept: [(User, Replica)] = []
        let followers = users.map { user in
            loop.spawn {
                do {
                    var replica = Replica()
                    while !isOver {
                        replica.take(
                            try await store.lists.changes(of: [user.id: replica.u], limit: 3)
                        )
                        kept.append((user, replica))
                    }
                    replica.take(try await store.changes(user, after: replica.u))
                    let list = try await store.list(of: user)
                    #expect(replica.conversations == Self.byID(list))
                    let teams = try await store.teams.list(of: user.id)
                    #expect(Array(replica.teams.values) == teams)
                    #expect(replica.folders == (try await store.folders.list(of: user.id)))
                    #expect(list.map(\.updatedAt) == list.map(\.updatedAt).sorted(by: >))
                } catch {
                    Issue.record(error)
                }
            }
        }
        for worker in workers { await worker.wait() }
        isOver = true
        for follower in followers { await follower.wait() }
        for (user, replica) in kept.shuffled(using: &actors.generator).prefix(60) {
            var healed = replica
            healed.take(
                try await store.lists.changes(
                    of: user.id,
                    after: healed.u,
                    changeLimit: 10_000,
                    pageLimit: 1
                )
            )
            #expect(healed.conversations == Self.byID(try await store.list(of: user)))
            let teams = try await store.teams.list(of: user.id)
            #expect(Array(healed.teams.values) == teams)
            #expect(healed.folders == (try await store.folders.list(of: user.id)))
        }
    }

    private static func byID(_ list: [Conversation]) -> [ConversationID: Conversation] {
        Dictionary(list.map { ($0.id, $0) }) { $1 }
    }
}
