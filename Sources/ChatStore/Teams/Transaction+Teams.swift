// The first step of every change to a team: locks its row, and checks the asker's right.
//
// Locks are taken in one order: the team's row, then its members' rows, then conversations as in
// Transaction+Lists.swift. A transaction that adds a member to a team's conversation holds the
// user's row in the team, so that a user who leaves the team does not stay in a conversation that
// they joined at that moment.

import ChatCore
import ChatProtocol
import Postgres

/// A team whose row is locked by this transaction.
struct LockedTeam {
    let id: TeamID
    let name: String
    /// The asker's role in it.
    let role: TeamRole
}

extension StoreTransaction {
    /// Locks a team's row until the end of the transaction.
    /// - Parameters:
    ///   - id: the team.
    ///   - user: the asker.
    ///   - action: the action.
    ///   - asAdministrator: whether the asker acts as an administrator of the server, with the
    ///     rights of an owner.
    /// - Returns: the team.
    /// - Throws: `WireError` if `user` may not do `action`, or cannot see the team.
    func lockTeam(
        _ id: TeamID,
        for user: UserID,
        to action: TeamAction,
        asAdministrator: Bool = false
    ) async throws -> LockedTeam {
        // Conversations may be created in it meanwhile, unless the team itself is deleted.
        let strength = action == .own ? "UPDATE" : "NO KEY UPDATE"
        let team = try send("SELECT name FROM teams WHERE id = $1 FOR \(strength)", [.uuid(id)])
        // A separate statement: it sees what was committed while waiting for the lock.
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

    /// A user's role in a team, which cannot change or end until the transaction ends.
    func heldRole(of user: UserID, in team: TeamID) async throws -> TeamRole? {
        let rows = try await query(
            TeamSelection.role + " FOR SHARE OF m",
            [.uuid(team), .uuid(user)]
        )
        return try rows.first?.word("role", as: TeamRole.self)
    }

    /// Checks whether a user may do something in a team.
    /// - Throws: `WireError` if they may not, or cannot see the team.
    func require(_ action: TeamAction, of user: UserID, in team: TeamID) async throws {
        let role = try await heldRole(of: user, in: team)
        let verdict = Permission.decide(action, as: role)
        if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
    }

    /// The team of a conversation: once it belongs to one, that never changes. If it belongs to
    /// none, check again under its lock.
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
    /// The role of user `$2` in team `$1`; no row if they are not in it, or disabled.
    static let role = """
        SELECT m.role FROM team_members m
        JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
        WHERE m.team_id = $1 AND m.user_id = $2
        """
    /// The columns of a team `t`, as member `m` sees it.
    static let columns = """
        t.id AS team, t.name AS team_name, m.role AS team_role, t.retention_days
        """
    /// Team `$1` as user `$2` sees it; no row if they are not in it.
    static let team = """
        SELECT \(columns) FROM teams t
        JOIN team_members m ON m.team_id = t.id AND m.user_id = $2 WHERE t.id = $1
        """
    /// The columns of a member `m` with user `u`.
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
