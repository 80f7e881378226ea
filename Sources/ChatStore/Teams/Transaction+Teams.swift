// The first step of every change to a team: its row's lock, and the asker's right to make the change.
//
// Locks are taken in one order: the team's row, then its members' rows, then conversations as
// Transaction+Lists.swift says. Whoever makes a member of a team's conversation holds that person's row
// of the team meanwhile, so that nobody who leaves the team keeps what they came into at that moment.

import ChatCore
import ChatProtocol
import Postgres

/// A team whose row this transaction holds.
struct LockedTeam {
    let id: TeamID
    let name: String
    /// What the asker is in it.
    let role: TeamRole
}

extension StoreTransaction {
    /// Locks a team's row until the end of the transaction.
    /// - Parameters:
    ///   - id: which.
    ///   - user: who asks.
    ///   - action: for what.
    ///   - asAdministrator: whether they do it as one of the server's, who may what an owner may.
    /// - Returns: the team.
    /// - Throws: `WireError` where `user` may not do `action`, or sees no such team.
    func lockTeam(
        _ id: TeamID,
        for user: UserID,
        to action: TeamAction,
        asAdministrator: Bool = false
    ) async throws -> LockedTeam {
        // Conversations may be begun there meanwhile, but for where the team itself goes.
        let strength = action == .own ? "UPDATE" : "NO KEY UPDATE"
        let team = try send("SELECT name FROM teams WHERE id = $1 FOR \(strength)", [.uuid(id)])
        // A statement of its own: it sees what was committed while the lock was waited for.
        let asker = try send(TeamSelection.role, [.uuid(id), .uuid(user)])
        guard let row = try await team.rows().first else {
            throw asAdministrator ? WireError.noTeam : .noSuchTeam
        }
        let own = try await asker.rows().first?.word("role", as: TeamRole.self)
        let role = asAdministrator ? .owner : own
        let refusal = Permission.decide(action, as: role).refusal(invisible: .noSuchTeam)
        guard refusal == nil, let role else { throw refusal ?? .noSuchTeam }
        return LockedTeam(id: id, name: try row.decode("name", as: String.self), role: role)
    }

    /// What a user is in a team, for as long as the transaction lasts: neither do they leave meanwhile
    /// nor become something else.
    func heldRole(of user: UserID, in team: TeamID) async throws -> TeamRole? {
        let rows = try await query(
            TeamSelection.role + " FOR SHARE OF m",
            [.uuid(team), .uuid(user)]
        )
        return try rows.first?.word("role", as: TeamRole.self)
    }

    /// Refuses what a user may not do in a team.
    /// - Throws: `WireError` where they may not, or see no such team.
    func require(_ action: TeamAction, of user: UserID, in team: TeamID) async throws {
        let role = try await heldRole(of: user, in: team)
        let verdict = Permission.decide(action, as: role)
        if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
    }

    /// The team that a conversation belongs to: once it belongs to one, that never changes. One that
    /// belongs to none is to be looked at again under its lock.
    func team(of conversation: ConversationID) async throws -> TeamID? {
        let rows = try await query(
            "SELECT team_id FROM conversations WHERE id = $1 AND deleted_at IS NULL",
            [.uuid(conversation)]
        )
        return try rows.first?.optionalID("team_id", of: Team.self)
    }
}

/// The SQL of teams.
enum TeamSelection {
    /// What user `$2` is in team `$1`; no row where they are not in it, or disabled.
    static let role = """
        SELECT m.role FROM team_members m
        JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
        WHERE m.team_id = $1 AND m.user_id = $2
        """
    /// The columns of a team `t`, as its member `m` sees it.
    static let columns = """
        t.id AS team, t.name AS team_name, m.role AS team_role, t.retention_days
        """
    /// Team `$1` as user `$2` sees it; no row where they are not in it.
    static let team = """
        SELECT \(columns) FROM teams t
        JOIN team_members m ON m.team_id = t.id AND m.user_id = $2 WHERE t.id = $1
        """
    /// The columns of a member `m`, who is user `u`.
    static let member = "u.id, u.name, m.role, m.joined_at"
}

extension TeamMember {
    /// Reads a row of `TeamSelection.member`.
    init(row: PostgresRow) throws {
        self.init(
            user: User(
                id: try row.id("id", of: User.self),
                name: try row.decode("name", as: String.self)
            ),
            role: try row.word("role", as: TeamRole.self),
            joinedAt: try row.timestamp("joined_at")
        )
    }
}
