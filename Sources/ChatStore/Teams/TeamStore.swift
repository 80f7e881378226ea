// Teams: creating, listing, reading, renaming and deleting them.

import ChatCore
public import ChatProtocol
import Postgres

/// Teams, their members, and invite links.
public struct TeamStore {
    let pool: StorePool

    /// Maximum teams per user.
    static let teamCountMax: Int64 = 200

    /// Creates a team owned by the user. Repeating the key returns the first reply and creates
    /// nothing.
    /// - Throws: `WireError.conflict` if the name is taken, or the key was used for a different
    ///   request.
    public func create(_ request: TeamCreateRequest, by user: User) async throws -> Team {
        let keyed = try KeyedRequest(
            request.key,
            of: user.id,
            hash: RequestHash.of(request, as: .teamCreate)
        )
        return try await pool.keyed { transaction in
            let reply = try await transaction.replay(of: keyed, as: Team.self)
            if let reply { return reply }
            let team = Team(id: .make(), name: request.name, role: .owner)
            let made = try await transaction.query(
                "INSERT INTO teams (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.uuid(team.id), .text(team.name)]
            )
            guard made.affectedRowCount == 1 else {
                throw WireError(.conflict, "the name is taken")
            }
            try await transaction.addTeamMember(user.id, .owner, to: team.id)
            try transaction.tellLists(ofTeams: [team.id])
            try transaction.audit(
                .teamCreated,
                by: Actor(user),
                team: team.id,
                object: team.name
            )
            try transaction.keep(team, of: keyed)
            return team
        }
    }

    /// A user's teams, ordered by name.
    public func list(of user: UserID) async throws -> [Team] {
        let rows = try await pool.query(
            """
            SELECT \(TeamSelection.columns)
            FROM team_members m JOIN teams t ON t.id = m.team_id
            WHERE m.user_id = $1 ORDER BY lower(t.name), t.id LIMIT $2
            """,
            [.uuid(user), .int64(Self.teamCountMax)]
        )
        return try rows.map { try Team(row: $0) }
    }

    /// A team and a page of its members, ordered by name.
    /// - Throws: `WireError.notFound` if the user is not in it.
    public func team(_ request: TeamPageRequest, limit: Int, for user: UserID) async throws
        -> TeamGetReply
    {
        try await members(of: team(request.team, for: user), request, limit: limit)
    }

    /// A page of a team's members, ordered by name.
    func members(
        of team: Team,
        _ request: TeamPageRequest,
        limit: Int
    ) async throws -> TeamGetReply {
        let rows = try await pool.query(
            """
            SELECT \(TeamSelection.member)
            FROM team_members m JOIN users u ON u.id = m.user_id
            WHERE m.team_id = $1 AND ($2::text IS NULL OR lower(u.name) > lower($2))
            ORDER BY lower(u.name) LIMIT $3
            """,
            [.uuid(request.team), .optional(request.cursor), .int64(Int64(limit) + 1)]
        )
        let members = try rows.prefix(limit).map { try TeamMember(row: $0) }
        return TeamGetReply(
            team: team,
            members: members,
            cursor: rows.count > limit ? members.last?.user.name : nil
        )
    }

    /// A team as one of its members sees it.
    /// - Throws: `WireError.notFound` if the user is not in it.
    public func team(_ id: TeamID, for user: UserID) async throws -> Team {
        let rows = try await pool.query(TeamSelection.team, [.uuid(id), .uuid(user)])
        guard let row = rows.first else { throw WireError.noSuchTeam }
        return try Team(row: row)
    }

    /// A user's role in a team.
    /// - Returns: nil if they are not in it, or disabled, or there is no such team.
    /// - Throws: `PostgresError`.
    public func role(of user: UserID, in team: TeamID) async throws -> TeamRole? {
        let rows = try await pool.query(
            """
            SELECT t.role FROM team_members t JOIN users u ON u.id = t.user_id
            WHERE t.team_id = $1 AND t.user_id = $2 AND u.disabled_at IS NULL
            """,
            [.uuid(team), .uuid(user)]
        )
        return try rows.first?.word("role", as: TeamRole.self)
    }

    /// Renames a team.
    /// - Throws: `WireError.conflict` if the name is taken.
    public func rename(_ request: TeamUpdateRequest, by user: User) async throws -> Team {
        try await pool.transaction { transaction in
            let lock = try await transaction.lockTeam(request.team, for: user.id, to: .change)
            let taken = try await transaction.query(
                "SELECT FROM teams WHERE lower(name) = lower($2) AND id <> $1",
                [.uuid(request.team), .text(request.name)]
            )
            guard taken.isEmpty else { throw WireError(.conflict, "the name is taken") }
            do {
                _ = try await transaction.query(
                    "UPDATE teams SET name = $2 WHERE id = $1",
                    [.uuid(request.team), .text(request.name)]
                )
            } catch PostgresError.server(let error) where error.constraint == "teams_name" {
                // Another team took the name concurrently.
                throw WireError(.conflict, "the name is taken")
            }
            try transaction.tellLists(ofTeams: [request.team])
            try transaction.audit(
                .teamRenamed,
                by: Actor(user),
                team: request.team,
                object: request.name,
                detail: ["before": lock.name]
            )
            let rows = try await transaction.query(
                TeamSelection.team,
                [.uuid(request.team), .uuid(user.id)]
            )
            guard let row = rows.first else { throw WireError.noSuchTeam }
            return try Team(row: row)
        }
    }

    /// Deletes a team without conversations.
    /// - Parameters:
    ///   - id: the team.
    ///   - user: the asker.
    ///   - asAdministrator: whether the asker acts as an administrator of the server.
    /// - Throws: `WireError.forbidden` if it has conversations.
    public func delete(
        _ id: TeamID,
        by user: User,
        asAdministrator: Bool = false
    ) async throws {
        try await pool.transaction { transaction in
            let lock = try await transaction.lockTeam(
                id,
                for: user.id,
                to: .own,
                asAdministrator: asAdministrator
            )
            let left = try await transaction.query(
                "SELECT FROM conversations WHERE team_id = $1 AND deleted_at IS NULL LIMIT 1",
                [.uuid(id)]
            )
            guard left.isEmpty else {
                throw WireError(
                    .forbidden,
                    "there are conversations in the team: delete them first"
                )
            }
            // Its deleted conversations, which wait to be purged, then belong to no team.
            _ = try await transaction.query(
                "UPDATE conversations SET team_id = NULL, is_open = false WHERE team_id = $1",
                [.uuid(id)]
            )
            try transaction.tellLists(ofTeams: [id])
            _ = try await transaction.query("DELETE FROM teams WHERE id = $1", [.uuid(id)])
            try transaction.audit(.teamDeleted, by: Actor(user), team: id, object: lock.name)
        }
    }
}

extension StoreTransaction {
    /// Adds a user to a team.
    /// - Returns: whether they were not in it before.
    /// - Throws: `WireError.limitExceeded` if they are in too many.
    @discardableResult
    func addTeamMember(_ user: UserID, _ role: TeamRole, to team: TeamID) async throws -> Bool {
        // A user who is being deleted leaves their teams, and joins none.
        let held = try await query(
            "SELECT FROM users WHERE id = $1 AND deleted_at IS NULL FOR SHARE",
            [.uuid(user)]
        )
        guard !held.isEmpty else { throw WireError.noSuchUser }
        let count = try await query(
            "SELECT count(*) FROM team_members WHERE user_id = $1",
            [.uuid(user)]
        )
        guard try count.first?.decode(as: Int64.self) ?? 0 < TeamStore.teamCountMax else {
            throw WireError(.limitExceeded, "you are in \(TeamStore.teamCountMax) teams: leave one")
        }
        let added = try await query(
            """
            INSERT INTO team_members (team_id, user_id, role) VALUES ($1, $2, $3)
            ON CONFLICT DO NOTHING
            """,
            [.uuid(team), .uuid(user), .text(role.rawValue)]
        )
        return added.affectedRowCount == 1
    }
}

extension Team {
    /// Reads a row of `TeamSelection.columns`.
    init(row: PostgresRow) throws {
        self.init(
            id: try row.id("team", of: Team.self),
            name: try row.decode("team_name", as: String.self),
            role: try row.word("team_role", as: TeamRole.self),
            retentionDays: try row.decode("retention_days", as: Int32?.self).map(Int.init)
        )
    }
}
