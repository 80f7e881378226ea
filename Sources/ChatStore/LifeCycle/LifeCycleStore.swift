// The life cycle of conversations, as users control it: archive, restore, and a team's retention.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The columns that decide when conversation `c` of team `t` ends.
enum LifeCycleSelection {
    static let columns = "c.updated_at, c.deleted_at, c.expires_at, t.retention_days, c.held_at"
    static let join = "LEFT JOIN teams t ON t.id = c.team_id"
}

extension PostgresRow {
    /// Reads the columns of `LifeCycleSelection`.
    func lifeCycle() throws -> LifeCycleFacts {
        LifeCycleFacts(
            lastActivity: try timestamp("updated_at"),
            deletedAt: try optionalTimestamp("deleted_at"),
            expiresAt: try optionalTimestamp("expires_at"),
            retentionDays: try decode("retention_days", as: Int32?.self).map(Int.init),
            isHeld: try decode("held_at", as: Date?.self) != nil
        )
    }
}

/// How conversations end: archived, held, deleted, restored, and purged.
public struct LifeCycleStore {
    let pool: StorePool

    /// Archives a conversation for one member, which also unpins it, or undoes that. Idempotent.
    /// - Parameters:
    ///   - request: the conversation, and the new state.
    ///   - user: the member.
    /// - Throws: `WireError.notFound` if they are not a member.
    public func archive(_ request: ConversationArchiveRequest, by user: UserID) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.lock(request.conversation, for: user, to: .read)
            try transaction.send(
                """
                WITH \(ListNumbers.next(of: """
                    SELECT user_id FROM members WHERE conversation_id = $1 AND user_id = $2
                        AND (archived_at IS NOT NULL) <> $3
                    """))
                UPDATE members m
                SET list_u = counted.u, archived_at = CASE WHEN $3 THEN now() END,
                    pinned_at = CASE WHEN NOT $3 THEN m.pinned_at END
                FROM counted
                WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
                """,
                [.uuid(request.conversation), .uuid(user), .bool(request.archived)]
            )
        }
    }

    /// The conversations that an owner can restore.
    /// - Parameters:
    ///   - user: the user.
    ///   - rules: how long a deletion can be undone.
    ///   - limit: maximum conversations.
    /// - Returns: the conversations, last deleted first.
    /// - Throws: `PostgresError`.
    public func deletedConversations(
        of user: UserID,
        _ rules: LifeCycleRules,
        limit: Int
    ) async throws -> [DeletedConversation] {
        let rows = try await pool.query(
            """
            SELECT \(LifeCycleSelection.columns), c.id, c.title, m.role AS member_role,
                c.team_id IS NOT NULL AS is_teams, tm.role AS team_role, false AS is_disabled
            FROM members m
            JOIN conversations c ON c.id = m.conversation_id
            \(LifeCycleSelection.join)
            LEFT JOIN team_members tm ON tm.team_id = c.team_id AND tm.user_id = m.user_id
            WHERE m.user_id = $1 AND m.role = 'owner' AND c.deleted_at IS NOT NULL
                AND c.purging_at IS NULL
            ORDER BY c.deleted_at DESC, c.id DESC LIMIT $2
            """,
            [.uuid(user), .integer(limit)]
        )
        return try rows.compactMap { row in
            guard Permission.decide(.delete, try row.standing()) == .granted else {
                return nil
            }
            let facts = try row.lifeCycle()
            return DeletedConversation(
                id: try row.id("id", of: Conversation.self),
                title: try row.decode("title", as: String.self),
                deletedAt: facts.deletedAt ?? facts.lastActivity,
                purgeAt: rules.purgeTime(of: facts)
            )
        }
    }

    /// Restores a deleted conversation; unfinished answers are not resumed. Idempotent.
    /// - Parameters:
    ///   - id: the conversation.
    ///   - user: the user.
    /// - Returns: the conversation, with its event.
    /// - Throws: `WireError.notFound` if they are not a member, or it is being purged; `.forbidden`
    ///   if they are not an owner.
    public func restore(
        _ id: ConversationID,
        by user: User
    ) async throws -> Committed<Conversation> {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT c.event_number, c.deleted_at IS NOT NULL AS is_deleted, c.team_id
                FROM conversations c
                WHERE c.id = $1 AND c.purging_at IS NULL FOR UPDATE
                """,
                [.uuid(id)]
            )
            let asker = try await transaction.query(
                """
                SELECT \(StandingSelection.columns)
                FROM conversations c \(StandingSelection.joins(user: "$2")) WHERE c.id = $1
                """,
                [.uuid(id), .uuid(user.id)]
            )
            guard let row = rows.first, let standing = try asker.first?.standing() else {
                throw WireError.noSuchConversation
            }
            if let refusal = Permission.decide(.delete, standing).refusal {
                // Only owners can see deleted conversations.
                throw try row.decode("is_deleted", as: Bool.self)
                    ? WireError.noSuchConversation : refusal
            }
            guard try row.decode("is_deleted", as: Bool.self) else {
                return Committed(
                    value: try await transaction.conversation(id, for: user.id),
                    events: []
                )
            }
            let n = try row.decode("event_number", as: Int64.self) + 1
            return try await transaction.restore(
                id,
                team: try row.optionalID("team_id", of: Team.self),
                by: user,
                n: n
            )
        }
    }

    /// Sets how long a team keeps idle conversations.
    /// - Parameters:
    ///   - request: the team, and the number of days.
    ///   - user: the user.
    /// - Throws: `WireError.notFound` if they are not in the team; `.forbidden` if they may not
    ///   change it.
    public func setRetention(_ request: TeamRetentionRequest, by user: User) async throws {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT m.role, u.disabled_at IS NOT NULL AS is_disabled
                FROM teams t
                JOIN users u ON u.id = $2
                LEFT JOIN team_members m ON m.team_id = t.id AND m.user_id = u.id
                WHERE t.id = $1 FOR UPDATE OF t
                """,
                [.uuid(request.team), .uuid(user.id)]
            )
            guard let row = rows.first else { throw WireError.noSuchTeam }
            let role = try row.optionalWord("role", as: TeamRole.self)
            let isDisabled = try row.decode("is_disabled", as: Bool.self)
            let permission = Permission.decide(.change, as: isDisabled ? nil : role)
            if let refusal = permission.refusal(invisible: .noSuchTeam) { throw refusal }
            try transaction.send(
                "UPDATE teams SET retention_days = $2 WHERE id = $1",
                [.uuid(request.team), .optional(request.days)]
            )
            try transaction.tellLists(ofTeams: [request.team])
            try transaction.audit(
                .teamRetentionChanged,
                by: Actor(user),
                team: request.team,
                object: request.team.description,
                detail: ["days": request.days.map(String.init) ?? "for ever"]
            )
        }
    }
}

extension StoreTransaction {
    /// Undoes `deleteConversation`. In the event log the deletion becomes an empty change, so that
    /// clients that resynchronize past it do not treat the conversation as deleted.
    fileprivate func restore(
        _ id: ConversationID,
        team: TeamID?,
        by user: User,
        n: Int64
    ) async throws -> Committed<Conversation> {
        // Their queue rows were deleted with the conversation: marks them as stopped.
        let unfinished = try await query(
            """
            UPDATE messages SET state = 'stopped', finish = 'stopped'
            WHERE conversation_id = $1 AND state IN ('queued', 'streaming') RETURNING id
            """,
            [.uuid(id)]
        )
        var n = n
        for row in unfinished {
            try insertEvent(.messageStopped, n, in: id, message: try row.id("id", of: Message.self))
            n += 1
        }
        try send(
            """
            UPDATE conversations SET deleted_at = NULL, event_number = $2, updated_at = now(),
                expires_at = CASE WHEN expires_at > now() THEN expires_at END
            WHERE id = $1
            """,
            [.uuid(id), .int64(n)]
        )
        try tellLists(of: id, .changed)
        let conversation = try await conversation(id, for: user.id)
        let change = ConversationChange(conversation)
        try send(
            """
            UPDATE events SET name = $2, payload = $3 WHERE conversation_id = $1 AND name = $4
            """,
            [
                .uuid(id), .text(ServerEvent.Name.conversationUpdated.rawValue), .json(change),
                .text(ServerEvent.Name.conversationDeleted.rawValue),
            ]
        )
        try insertEvent(.conversationUpdated, n, in: id, payload: .json(change))
        try audit(.conversationRestored, by: Actor(user), team: team, object: id.description)
        return Committed(
            value: conversation,
            events: [
                .conversationUpdated(ConversationUpdated(conversation: id, n: n, changed: change))
            ]
        )
    }
}
