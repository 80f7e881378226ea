// Deletes an account, at once and on all nodes. A job later processes the user's conversations in
// batches (AccountStore+Erasure.swift).
//
// The user's row stays, as an id without a name: messages and the ledger refer to it.

public import ChatProtocol
import Postgres

/// What remains of a deleted user.
public enum DeletedUser {
    /// The name of all deleted users; migration 0019 uses it, too. No lookup by this name succeeds.
    public static let name = "deleted user"
}

/// The tables with a user's data, by the column that references the user. A test compares them with
/// the schema.
package enum UserTables {
    /// Credentials, and rows with the user's text or name: deleted with the account.
    package static let deletedAtOnce = [
        ("sessions", "user_id"), ("api_keys", "user_id"), ("account_links", "user_id"),
        ("openid_identities", "user_id"), ("device_sign_ins", "user_id"),
        ("idempotency_keys", "user_id"),
        ("share_links", "created_by"), ("team_invites", "created_by"), ("budgets", "user_id"),
        ("prompts", "owner_id"), ("folders", "user_id"), ("conversations", "api_user_id"),
    ]
    /// Possibly many rows, without names: deleted in batches.
    package static let deletedLater = [
        ("feedback", "user_id"), ("imports", "owner_id"), ("mentions", "user_id"),
    ]
    /// Deleted when the user leaves a conversation or a team.
    package static let left = [
        ("members", "user_id"), ("team_members", "user_id"), ("unlisted", "user_id"),
        ("team_changes", "user_id"), ("list_positions", "user_id"),
    ]
    /// References to the user's id that stay. Queue rows are deleted when their answers end.
    package static let kept = [
        ("messages", "author_id"), ("messages", "deleted_by"), ("system_prompts", "author_id"),
        ("prompt_versions", "author_id"), ("models", "requested_by"), ("generations", "user_id"),
        ("conversations", "held_by"),
    ]
}

extension Actor {
    /// A deleted user, by id alone.
    static func deleted(_ user: UserID) -> Actor {
        Actor(User(id: user, name: DeletedUser.name))
    }
}

extension AccountStore {
    /// Deletes an account: its sign-ins, keys and links end, its name and password are erased, and
    /// it leaves its teams. The name is free from then on.
    ///
    /// A running server also closes connections and ends runs: `SignInWatch.changed`. Servers
    /// without a notification notice it within a second.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Returns: the teams with other members, which the user left.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
    ///   administrator, or the only owner of a team with other members.
    @discardableResult
    public func delete(_ user: UserID, by actor: Actor) async throws -> [TeamID] {
        try await pool.transaction { transaction in
            // The teams' rows before the users', as when a user joins.
            let teams = try await transaction.lockTeams(of: user)
            try await transaction.endInvites(of: user, to: teams)
            try await transaction.requireAdministrator(beside: user)
            _ = try await transaction.lockUser(user)
            guard try await transaction.teams(of: user).isSubset(of: teams) else {
                throw WireError(.conflict, "the account has just joined a team: try again")
            }
            try await transaction.requireOtherOwners(beside: user)
            try transaction.send(
                """
                UPDATE users SET name = $2, password_hash = 'none', is_admin = false,
                    disabled_at = coalesce(disabled_at, now()), deleted_at = now()
                WHERE id = $1
                """,
                [.uuid(user), .text(DeletedUser.name)]
            )
            for (table, column) in UserTables.deletedAtOnce {
                try transaction.send("DELETE FROM \(table) WHERE \(column) = $1", [.uuid(user)])
            }
            let left = try await transaction.leaveTeams(user)
            try transaction.audit(
                .userDeleted,
                by: actor.id == user ? .deleted(user) : actor,
                object: "\(user)"
            )
            return left
        }
    }
}

extension StoreTransaction {
    fileprivate func teams(of user: UserID) async throws -> Set<TeamID> {
        let rows = try await query(
            "SELECT team_id FROM team_members WHERE user_id = $1",
            [.uuid(user)]
        )
        return Set(try rows.map { try $0.id("team_id", of: Team.self) })
    }

    /// Locks a user's teams, so that their owners do not change meanwhile.
    fileprivate func lockTeams(of user: UserID) async throws -> Set<TeamID> {
        let rows = try await query(
            """
            SELECT t.id FROM teams t
            WHERE t.id IN (SELECT team_id FROM team_members WHERE user_id = $1)
            ORDER BY t.id FOR NO KEY UPDATE OF t
            """,
            [.uuid(user)]
        )
        return Set(try rows.map { try $0.id("id", of: Team.self) })
    }

    /// Ends the invite links to teams without other members: nobody joins one from here on.
    fileprivate func endInvites(of user: UserID, to teams: Set<TeamID>) async throws {
        _ = try await query(
            """
            DELETE FROM team_invites i WHERE i.team_id = ANY ($2) AND NOT EXISTS (
                SELECT FROM team_members m
                WHERE m.team_id = i.team_id AND m.role = 'owner' AND m.user_id <> $1
            )
            """,
            [.uuid(user), .uuidArray(teams.map(\.uuid))]
        )
    }

    /// Throws if a team with other members would have no owner.
    fileprivate func requireOtherOwners(beside user: UserID) async throws {
        let rows = try await query(
            """
            SELECT t.name FROM team_members m JOIN teams t ON t.id = m.team_id
            WHERE m.user_id = $1 AND m.role = 'owner'
                AND NOT EXISTS (
                    SELECT FROM team_members o
                    WHERE o.team_id = t.id AND o.role = 'owner' AND o.user_id <> $1)
                AND EXISTS (
                    SELECT FROM team_members o WHERE o.team_id = t.id AND o.user_id <> $1)
            ORDER BY lower(t.name) LIMIT 10
            """,
            [.uuid(user)]
        )
        guard !rows.isEmpty else { return }
        let names = try rows.map { try $0.decode("name", as: String.self) }
        throw WireError(
            .forbidden,
            "nobody else owns “\(names.joined(separator: "”, “"))”: make another member an owner first"
        )
    }

    /// Removes a user from their teams. A team without other members stays, without its name, until
    /// its conversations are purged.
    /// - Returns: the other teams.
    fileprivate func leaveTeams(_ user: UserID) async throws -> [TeamID] {
        let rows = try await query(
            """
            DELETE FROM team_members m WHERE m.user_id = $1 AND EXISTS (
                SELECT FROM team_members o WHERE o.team_id = m.team_id AND o.user_id <> $1)
            RETURNING m.team_id
            """,
            [.uuid(user)]
        )
        let left = try rows.map { try $0.id("team_id", of: Team.self) }
        for team in left {
            try audit(.teamLeft, by: .deleted(user), team: team, object: "\(user)")
        }
        try tellLists(ofTeams: left)
        try send(
            """
            UPDATE teams SET name = id::text
            WHERE id IN (SELECT team_id FROM team_members WHERE user_id = $1)
            """,
            [.uuid(user)]
        )
        return left
    }
}
