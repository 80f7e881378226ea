// Changes roles in a team, and removes members: a member who leaves a team leaves all its
// conversations in the same transaction.

import ChatCore
public import ChatProtocol
import Postgres

extension TeamStore {
    /// Changes a team member's role, which applies to all its conversations at once.
    /// - Parameters:
    ///   - request: the member, the team, and the new role.
    ///   - user: the asker.
    ///   - asAdministrator: whether the asker acts as an administrator of the server.
    /// - Returns: the member after the change.
    /// - Throws: `WireError.forbidden` if the asker may not, or the team would have no owner.
    public func updateMember(
        _ request: TeamMemberUpdateRequest,
        by user: User,
        asAdministrator: Bool = false
    ) async throws -> TeamMember {
        try await pool.transaction { transaction in
            let lock = try await transaction.lockTeam(
                request.team,
                for: user.id,
                to: .manageMembers,
                asAdministrator: asAdministrator
            )
            let member = try await transaction.member(request.user, of: lock, to: request.role)
            let rows = try await transaction.query(
                """
                WITH m AS (
                    UPDATE team_members SET role = $3 WHERE team_id = $1 AND user_id = $2
                    RETURNING *
                )
                SELECT \(TeamSelection.member) FROM m JOIN users u ON u.id = m.user_id
                """,
                [.uuid(lock.id), .uuid(request.user), .text(request.role.rawValue)]
            )
            guard let row = rows.first else { throw WireError.noSuchMember }
            if Permission.decide(.manageMembers, as: request.role) != .granted {
                try transaction.endInvites(of: request.user, to: lock.id)
            }
            try transaction.tellLists(ofTeams: [lock.id])
            if (member.role == .viewer) != (request.role == .viewer) {
                try transaction.tellList(of: request.user, about: lock.id)
            }
            try transaction.audit(
                .teamRoleChanged,
                by: Actor(user),
                team: lock.id,
                object: "\(request.user)",
                detail: [
                    "name": member.user.name, "before": member.role.rawValue,
                    "role": request.role.rawValue,
                ]
            )
            return try TeamMember(row: row)
        }
    }

    /// Removes a member from a team and from its conversations; every member may leave.
    ///
    /// Conversations of a team stay in it: if the only owner leaves, the editor with the longest
    /// membership becomes the owner, otherwise another member who may write, otherwise the team's
    /// first owner.
    /// - Parameters:
    ///   - request: the member, and the team.
    ///   - user: the asker.
    ///   - asAdministrator: whether the asker acts as an administrator of the server.
    /// - Returns: the events for the subscribers of each of those conversations.
    /// - Throws: `WireError.forbidden` if the asker may not, or the team would have no owner.
    public func removeMember(
        _ request: TeamMemberRemoveRequest,
        by user: User,
        asAdministrator: Bool = false
    ) async throws -> [ConversationID: [ServerEvent]] {
        let action: TeamAction = request.user == user.id ? .leave : .manageMembers
        return try await pool.transaction { transaction in
            let lock = try await transaction.lockTeam(
                request.team,
                for: user.id,
                to: action,
                asAdministrator: asAdministrator
            )
            let member = try await transaction.member(
                request.user,
                of: lock,
                to: nil,
                isLeaving: action == .leave
            )
            _ = try await transaction.query(
                "DELETE FROM team_members WHERE team_id = $1 AND user_id = $2",
                [.uuid(lock.id), .uuid(request.user)]
            )
            try transaction.endInvites(of: request.user, to: lock.id)
            let events = try await transaction.leaveConversations(of: lock.id, member.user)
            try transaction.audit(
                action == .leave ? .teamLeft : .teamMemberRemoved,
                by: Actor(user),
                team: lock.id,
                object: "\(request.user)",
                detail: ["name": member.user.name, "conversations": "\(events.count)"]
            )
            return events
        }
    }
}

extension StoreTransaction {
    /// Locks a member's row, and throws if the asker may not make the change, or the team would
    /// have no owner.
    /// - Parameters:
    ///   - user: the member.
    ///   - lock: the team.
    ///   - role: the new role; nil to remove the member.
    ///   - isLeaving: whether members remove themselves.
    /// - Returns: the member before the change.
    /// - Throws: `WireError.forbidden`, or `.notFound` if there is no such member.
    fileprivate func member(
        _ user: UserID,
        of lock: LockedTeam,
        to role: TeamRole?,
        isLeaving: Bool = false
    ) async throws -> TeamMember {
        let rows = try await query(
            """
            SELECT \(TeamSelection.member) FROM team_members m JOIN users u ON u.id = m.user_id
            WHERE m.team_id = $1 AND m.user_id = $2 FOR UPDATE OF m
            """,
            [.uuid(lock.id), .uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchMember }
        let member = try TeamMember(row: row)
        if !isLeaving {
            let verdict = Permission.decide(changing: member.role, to: role, as: lock.role)
            if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
        }
        if member.role == .owner, role != .owner {
            let others = try await query(
                """
                SELECT FROM team_members WHERE team_id = $1 AND role = 'owner' AND user_id <> $2
                LIMIT 1
                """,
                [.uuid(lock.id), .uuid(user)]
            )
            guard !others.isEmpty else {
                throw WireError(.forbidden, "a team needs an owner: make somebody else one first")
            }
        }
        return member
    }

    /// Revokes the links of a member who may no longer invite.
    fileprivate func endInvites(of user: UserID, to team: TeamID) throws {
        try send(
            "DELETE FROM team_invites WHERE team_id = $1 AND created_by = $2",
            [.uuid(team), .uuid(user)]
        )
    }

    /// Allocates a number in a user's list for each of their conversations of a team: their
    /// effective role in it has changed.
    fileprivate func tellList(of user: UserID, about team: TeamID) throws {
        try send(
            """
            WITH affected AS (
                SELECT m.conversation_id, count(*) OVER () AS steps,
                    row_number() OVER (ORDER BY m.conversation_id) AS step
                FROM members m JOIN conversations c ON c.id = m.conversation_id
                WHERE c.team_id = $1 AND m.user_id = $2
            ), counted AS (
                INSERT INTO list_positions AS p (user_id, u)
                SELECT $2, steps FROM affected WHERE step = 1
                ON CONFLICT (user_id) DO UPDATE SET u = p.u + excluded.u
                RETURNING p.u
            )
            UPDATE members m SET list_u = counted.u - affected.steps + affected.step
            FROM affected, counted
            WHERE m.conversation_id = affected.conversation_id AND m.user_id = $2
            """,
            [.uuid(team), .uuid(user)]
        )
    }
}

extension WireError {
    /// For a member who does not exist.
    static let noSuchMember = WireError(.notFound, "there is no such member")
}
