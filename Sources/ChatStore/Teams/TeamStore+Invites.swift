// Invite links to teams. Only the reply to the creator contains the token; the hash is stored.

import ChatCore
public import ChatProtocol
import Postgres

extension TeamStore {
    /// Maximum valid links per team.
    private static let inviteCountMax: Int64 = 100

    /// Creates an invite link.
    /// - Parameters:
    ///   - request: the team, and the role of users who join.
    ///   - tokenHash: SHA-256 of the token.
    ///   - lifetime: how long it is valid.
    ///   - user: the creator.
    /// - Returns: the link.
    /// - Throws: `WireError.limitExceeded` if there are too many.
    public func invite(
        _ request: TeamInviteRequest,
        tokenHash: [UInt8],
        lifetime: Duration,
        by user: User
    ) async throws -> TeamInvite {
        let role = request.role ?? .member
        return try await pool.transaction { transaction in
            _ = try await transaction.lockTeam(request.team, for: user.id, to: .manageMembers)
            // Links never grant ownership.
            guard role != .owner else {
                throw WireError(.forbidden, "a link cannot grant the owner role")
            }
            _ = try await transaction.query(
                """
                DELETE FROM team_invites
                WHERE team_id = $1 AND (uses_left = 0 OR expires_at <= now())
                """,
                [.uuid(request.team)]
            )
            let rows = try await transaction.query(
                """
                INSERT INTO team_invites
                    (id, team_id, token_hash, role, created_by, expires_at, uses_left)
                SELECT $1, $2, $3, $4, $5, now() + $6 * interval '1 second', $7
                WHERE (SELECT count(*) FROM team_invites WHERE team_id = $2) < $8
                RETURNING created_at, expires_at
                """,
                [
                    .uuid(TeamInviteID.make()), .uuid(request.team), .bytes(tokenHash),
                    .text(role.rawValue), .uuid(user.id), .double(lifetime.seconds),
                    .int32(Int32(clamping: request.uses ?? 1)), .int64(Self.inviteCountMax),
                ]
            )
            guard !rows.isEmpty else {
                throw WireError(
                    .limitExceeded,
                    "the team has \(Self.inviteCountMax) links: revoke some of them"
                )
            }
            let made = try await transaction.query(
                TeamInvite.selection + " AND i.token_hash = $2",
                [.uuid(request.team), .bytes(tokenHash)]
            )
            guard let row = made.first else {
                throw WireError(.internalError, "storing the link failed")
            }
            let invite = try TeamInvite(row: row)
            try transaction.audit(
                .teamInvited,
                by: Actor(user),
                team: request.team,
                object: "\(invite.id)",
                detail: ["role": role.rawValue, "uses": "\(invite.usesLeft)"]
            )
            return invite
        }
    }

    /// The valid links to a team, newest first.
    public func invites(to team: TeamID, for user: UserID) async throws -> [TeamInvite] {
        try await pool.transaction { transaction in
            try await transaction.require(.manageMembers, of: user, in: team)
            let rows = try await transaction.query(
                TeamInvite.selection + " AND i.uses_left > 0 AND i.expires_at > now()"
                    + " ORDER BY i.id DESC LIMIT $2",
                [.uuid(team), .int64(Self.inviteCountMax)]
            )
            return try rows.map { try TeamInvite(row: $0) }
        }
    }

    /// Revokes a link.
    /// - Throws: `WireError.notFound` if the team has none with that id.
    public func revokeInvite(_ request: TeamInviteRevokeRequest, by user: User) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.lockTeam(request.team, for: user.id, to: .manageMembers)
            let gone = try await transaction.query(
                "DELETE FROM team_invites WHERE id = $1 AND team_id = $2",
                [.uuid(request.invite), .uuid(request.team)]
            )
            guard gone.affectedRowCount == 1 else {
                throw WireError(.notFound, "there is no such invite")
            }
            try transaction.audit(
                .teamInviteRevoked,
                by: Actor(user),
                team: request.team,
                object: "\(request.invite)"
            )
        }
    }

    /// Adds a user to the team of a link. A member's role does not change, and no use of the link
    /// is counted for them.
    /// - Throws: `WireError.notFound` if the token does not exist or is no longer valid.
    public func join(tokenHash: [UInt8], by user: User) async throws -> Team {
        try await pool.transaction { transaction in
            // The team's row before the link's, as everywhere. Concurrent joins are serialized:
            // earlier members get the events of later ones.
            _ = try await transaction.query(
                """
                SELECT FROM team_invites i JOIN teams t ON t.id = i.team_id
                WHERE i.token_hash = $1 FOR NO KEY UPDATE OF t
                """,
                [.bytes(tokenHash)]
            )
            let rows = try await transaction.query(
                """
                SELECT i.id, i.team_id, i.role FROM team_invites i
                WHERE i.token_hash = $1 AND i.uses_left > 0 AND i.expires_at > now()
                FOR UPDATE
                """,
                [.bytes(tokenHash)]
            )
            guard let row = rows.first else {
                throw WireError(.notFound, "this link was used or revoked, or has expired")
            }
            let team = try row.id("team_id", of: Team.self)
            let role = try row.word("role", as: TeamRole.self)
            if try await transaction.addTeamMember(user.id, role, to: team) {
                try transaction.send(
                    "UPDATE team_invites SET uses_left = uses_left - 1 WHERE id = $1",
                    [.uuid(try row.id("id", of: TeamInvite.self))]
                )
                try transaction.tellLists(ofTeams: [team])
                try transaction.audit(
                    .teamJoined,
                    by: Actor(user),
                    team: team,
                    object: "\(user.id)",
                    detail: ["role": role.rawValue]
                )
            }
            let joined = try await transaction.query(
                TeamSelection.team,
                [.uuid(team), .uuid(user.id)]
            )
            guard let row = joined.first else { throw WireError.noSuchTeam }
            return try Team(row: row)
        }
    }
}

extension TeamInvite {
    /// The links to team `$1`; more conditions may follow.
    fileprivate static let selection = """
        SELECT i.id, i.role, u.id AS user_id, u.name, i.created_at, i.expires_at, i.uses_left
        FROM team_invites i JOIN users u ON u.id = i.created_by WHERE i.team_id = $1
        """

    /// Reads a row of `selection`.
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: TeamInvite.self),
            role: try row.word("role", as: TeamRole.self),
            createdBy: User(
                id: try row.id("user_id", of: User.self),
                name: try row.decode("name", as: String.self)
            ),
            createdAt: try row.timestamp("created_at"),
            expiresAt: try row.timestamp("expires_at"),
            usesLeft: Int(try row.decode("uses_left", as: Int32.self))
        )
    }
}
