// Erases the data of deleted accounts: the user leaves conversations, or they are deleted if there
// are no other members, and the user's name is removed elsewhere. Each step changes a bounded
// number of rows; all state between steps is in the database.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// The result of a step.
public struct ErasureStep {
    /// Events for the subscribers of conversations that the user left.
    public internal(set) var events: [ConversationID: [ServerEvent]] = [:]
    /// The deleted conversations, as from `ConversationStore.delete`.
    public internal(set) var deletions: [ConversationID: Committed<[UserID]>] = [:]
    /// The user whose erasure is complete.
    public internal(set) var erased: UserID?
}

extension AccountStore {
    /// Maximum conversations per step: each causes events, and numbers in its members' lists.
    private static let conversationsMax = 50

    /// Erases a part of a deleted account's data.
    /// - Parameters:
    ///   - now: the current time.
    ///   - batch: maximum rows.
    /// - Returns: what was done; nil if nothing is left to do, or another node is erasing.
    /// - Throws: `PostgresError`.
    public func erasureStep(at now: Timestamp, batch: Int) async throws -> ErasureStep? {
        try await pool.transaction { transaction in
            guard try await transaction.takesPurgeLock() else { return nil }
            let pending = try await transaction.query(
                """
                SELECT id FROM users WHERE deleted_at IS NOT NULL AND erased_at IS NULL
                ORDER BY deleted_at LIMIT 1
                """
            )
            guard let user = try pending.first?.id("id", of: User.self) else { return nil }
            var step = ErasureStep()
            let count = min(batch, Self.conversationsMax)
            if try await transaction.leaveConversations(of: user, limit: count, &step) {
                return step
            }
            if try await transaction.deleteRows(of: user, limit: batch) { return step }
            if try await transaction.eraseEvents(of: user, limit: count) { return step }
            if try await transaction.eraseAudit(of: user, limit: batch) { return step }
            if try await transaction.endTeam(of: user, limit: batch) { return step }
            for table in ["team_changes", "list_positions"] {
                try transaction.send("DELETE FROM \(table) WHERE user_id = $1", [.uuid(user)])
            }
            try transaction.send(
                "UPDATE users SET erased_at = $2 WHERE id = $1",
                [.uuid(user), .date(now.date)]
            )
            step.erased = user
            return step
        }
    }

    /// Schedules accounts that were deleted within the last hour again: transactions that began
    /// before the deletion may have committed after it.
    /// - Parameter now: the current time.
    /// - Throws: `PostgresError`.
    public func rescheduleErasures(at now: Timestamp) async throws {
        _ = try await pool.query(
            """
            UPDATE users SET erased_at = NULL
            WHERE deleted_at > $1::timestamptz - interval '1 hour' AND erased_at IS NOT NULL
            """,
            [.date(now.date)]
        )
    }
}

extension StoreTransaction {
    /// Leaves some conversations, and deletes those without other members.
    /// - Returns: whether there were any.
    fileprivate func leaveConversations(
        of user: UserID,
        limit: Int,
        _ step: inout ErasureStep
    ) async throws -> Bool {
        let locked = try await query(
            """
            SELECT c.id, c.event_number, c.deleted_at IS NOT NULL AS is_deleted
            FROM conversations c
            WHERE c.id IN (
                SELECT conversation_id FROM members WHERE user_id = $1
                ORDER BY conversation_id LIMIT $2)
            ORDER BY c.id FOR UPDATE OF c
            """,
            [.uuid(user), .integer(limit)]
        )
        guard !locked.isEmpty else { return false }
        let shared = try await shared(locked.map { try $0.id("id", of: Conversation.self) }, user)
        var left: [LeftConversation] = []
        var lone: [(conversation: LeftConversation, isDeleted: Bool)] = []
        for row in locked {
            let conversation = LeftConversation(
                id: try row.id("id", of: Conversation.self),
                eventNumber: try row.decode("event_number", as: Int64.self)
            )
            if shared.contains(conversation.id) {
                left.append(conversation)
            } else {
                lone.append((conversation, try row.decode("is_deleted", as: Bool.self)))
            }
        }
        // First, since it locks the lists of other users, in their order.
        step.events = try await leave(left, User(id: user, name: DeletedUser.name))
        for (conversation, isDeleted) in lone where !isDeleted {
            step.deletions[conversation.id] = try await deleteConversation(
                conversation.id,
                n: conversation.eventNumber + 1
            )
        }
        // Recorded as left: their events may contain the user's name.
        try send(
            """
            WITH gone AS (
                DELETE FROM members WHERE user_id = $1 AND conversation_id = ANY ($2)
                RETURNING conversation_id, list_u
            )
            INSERT INTO unlisted (user_id, conversation_id, u)
            SELECT $1, conversation_id, list_u FROM gone
            ON CONFLICT (user_id, conversation_id) DO UPDATE SET u = excluded.u
            """,
            [.uuid(user), .uuidArray(lone.map(\.conversation.id.uuid))]
        )
        return true
    }

    /// The conversations, among some with locked rows, that continue without a user: they have
    /// other members, or belong to a team with other members.
    private func shared(
        _ conversations: [ConversationID],
        _ user: UserID
    ) async throws -> Set<ConversationID> {
        let rows = try await query(
            """
            SELECT c.id FROM conversations c
            WHERE c.id = ANY ($1) AND (
                EXISTS (
                    SELECT FROM members m JOIN users u ON u.id = m.user_id
                    WHERE m.conversation_id = c.id AND m.user_id <> $2 AND u.deleted_at IS NULL
                ) OR EXISTS (
                    SELECT FROM team_members t JOIN users u ON u.id = t.user_id
                    WHERE t.team_id = c.team_id AND t.user_id <> $2 AND u.deleted_at IS NULL
                ))
            """,
            [.uuidArray(conversations.map(\.uuid)), .uuid(user)]
        )
        return Set(try rows.map { try $0.id("id", of: Conversation.self) })
    }

    /// Deletes some rows of a user's, including rows that were to be deleted with the account but
    /// were inserted at that moment.
    /// - Returns: whether there were any.
    fileprivate func deleteRows(of user: UserID, limit: Int) async throws -> Bool {
        for (table, column) in UserTables.deletedAtOnce + UserTables.deletedLater {
            let gone = try await query(
                """
                DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM \(table) WHERE \(column) = $1 LIMIT $2))
                """,
                [.uuid(user), .integer(limit)]
            )
            if gone.affectedRowCount > 0 { return true }
        }
        return false
    }

    /// Removes a user's name and feedback from the events of some conversations that they left.
    /// - Returns: whether there were any.
    fileprivate func eraseEvents(of user: UserID, limit: Int) async throws -> Bool {
        let rows = try await query(
            """
            DELETE FROM unlisted WHERE user_id = $1 AND conversation_id IN (
                SELECT conversation_id FROM unlisted WHERE user_id = $1 LIMIT $2)
            RETURNING conversation_id
            """,
            [.uuid(user), .integer(limit)]
        )
        guard !rows.isEmpty else { return false }
        // A rating becomes a withdrawn one.
        try send(
            """
            UPDATE events SET payload = jsonb_set(
                payload - 'rating' - 'text', '{user}',
                jsonb_build_object('id', $2::text, 'name', $3::text))
            WHERE conversation_id = ANY ($1) AND name IN ($4, $5)
                AND payload #>> '{user,id}' = $2
            """,
            [
                .uuidArray(
                    try rows.map { try $0.id("conversation_id", of: Conversation.self).uuid }
                ),
                .text(user.description), .text(DeletedUser.name),
                .text(ServerEvent.Name.memberChanged.rawValue),
                .text(ServerEvent.Name.messageFeedback.rawValue),
            ]
        )
        return true
    }

    /// Removes a user's name from some entries of the audit log, as actor and as object. The ids
    /// stay.
    /// - Returns: whether there were any.
    fileprivate func eraseAudit(of user: UserID, limit: Int) async throws -> Bool {
        let done = try await query(
            """
            UPDATE audit_log SET actor_name = $2 WHERE id IN (
                SELECT id FROM audit_log WHERE actor_id = $1 AND actor_name <> $2 LIMIT $3)
            """,
            [.uuid(user), .text(DeletedUser.name), .integer(limit)]
        )
        if done.affectedRowCount > 0 { return true }
        let suffered = try await query(
            """
            UPDATE audit_log SET detail = detail - $3 WHERE id IN (
                SELECT id FROM audit_log WHERE object = $1 AND detail ?| $3 LIMIT $2)
            """,
            [
                .text(user.description), .integer(limit),
                .textArray(["name", "device", "address"]),
            ]
        )
        return suffered.affectedRowCount > 0
    }

    /// Deletes a team without other members. Its deleted conversations, which wait to be purged,
    /// then belong to no team.
    /// - Returns: whether there was anything to do.
    fileprivate func endTeam(of user: UserID, limit: Int) async throws -> Bool {
        let teams = try await query(
            "SELECT team_id FROM team_members WHERE user_id = $1 ORDER BY team_id LIMIT 1",
            [.uuid(user)]
        )
        guard let team = try teams.first?.id("team_id", of: Team.self) else { return false }
        let freed = try await query(
            """
            UPDATE conversations SET team_id = NULL, is_open = false WHERE id IN (
                SELECT id FROM conversations WHERE team_id = $1 ORDER BY id LIMIT $2
                FOR UPDATE)
            """,
            [.uuid(team), .integer(limit)]
        )
        guard freed.affectedRowCount == 0 else { return true }
        try send("DELETE FROM teams WHERE id = $1", [.uuid(team)])
        try audit(.teamDeleted, by: .server, team: team, object: "\(team)")
        return true
    }
}
