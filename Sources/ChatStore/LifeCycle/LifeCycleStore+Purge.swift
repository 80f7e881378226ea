// Deletes idle and expired conversations, and purges deleted ones, a bounded number of rows at a
// time. All state between steps is in the database, so a crash loses only a step.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The result of a step.
public enum PurgeStep: Sendable, Hashable {
    /// Nothing is left to do.
    case nothingLeft
    /// Another node is purging.
    case elsewhere
    /// Number of deleted rows.
    case rows(Int)
    /// The last row of a conversation was deleted.
    case purged(ConversationID)
}

/// Conversations whose cached data must be deleted.
public struct LostConversations: Sendable {
    /// Their ids.
    public let ids: [ConversationID]
    /// The time of this state: seconds since 1970, by the database's clock.
    public let time: Int64
}

extension LifeCycleStore {
    /// Conversations that are due for deletion.
    /// - Parameters:
    ///   - rules: what is due.
    ///   - now: the current time.
    ///   - limit: maximum conversations.
    /// - Returns: their ids.
    /// - Throws: `PostgresError`.
    public func conversationsDue(
        _ rules: LifeCycleRules,
        at now: Timestamp,
        limit: Int
    ) async throws -> [ConversationID] {
        let rows = try await pool.query(
            """
            SELECT \(LifeCycleSelection.columns), c.id
            FROM (
                (
                    SELECT id FROM conversations
                    WHERE expires_at <= $1 AND deleted_at IS NULL AND held_at IS NULL
                        AND api_user_id IS NULL
                    ORDER BY expires_at LIMIT $2
                ) UNION (
                    SELECT c.id FROM teams t JOIN conversations c ON c.team_id = t.id
                    WHERE t.retention_days IS NOT NULL AND c.deleted_at IS NULL
                        AND c.held_at IS NULL
                        AND c.updated_at <= $1 - t.retention_days * interval '24 hours'
                    LIMIT $2
                )
            ) due
            JOIN conversations c ON c.id = due.id \(LifeCycleSelection.join)
            """,
            [.date(now.date), .integer(limit)]
        )
        return try rows.prefix(limit).compactMap { row in
            switch rules.due(try row.lifeCycle(), at: now) {
            case .expiry, .retirement:
                try row.id("id", of: Conversation.self)
            case .nothing, .purge: nil
            }
        }
    }

    /// The conversations among these that are deleted or unknown, or have lost a message.
    /// - Parameters:
    ///   - ids: conversations with cached data.
    ///   - time: the time returned by the previous call; nil to include messages lost at any time.
    ///     Losses in the two minutes before it are returned again: they may have committed late, or
    ///     their data may have been read just before.
    /// - Returns: the conversations, and the time.
    /// - Throws: `PostgresError`.
    public func conversationsLost(
        of ids: [ConversationID],
        since time: Int64?
    ) async throws -> LostConversations {
        let rows = try await pool.query(
            """
            SELECT floor(extract(epoch FROM now()))::bigint AS time, lost.id
            FROM (
                SELECT to_timestamp(coalesce($2::bigint, 0)) - interval '2 minutes' AS cut
            ) since
            LEFT JOIN LATERAL (
                SELECT known.id FROM unnest($1::uuid[]) AS known (id)
                LEFT JOIN conversations c ON c.id = known.id AND c.deleted_at IS NULL
                WHERE c.id IS NULL OR c.updated_at > since.cut AND EXISTS (
                    SELECT FROM messages m
                    WHERE m.conversation_id = c.id AND m.deleted_at > since.cut)
            ) lost ON true
            """,
            [.uuidArray(ids.map(\.uuid)), .int64(time)]
        )
        guard let first = rows.first else {
            throw WireError(.internalError, "reading the database's time failed")
        }
        return LostConversations(
            ids: try rows.compactMap { try $0.optionalID("id", of: Conversation.self) },
            time: try first.decode("time", as: Int64.self)
        )
    }

    /// Deletes a conversation if that is still due.
    /// - Parameters:
    ///   - id: the conversation.
    ///   - rules: what is due.
    ///   - now: the current time.
    /// - Returns: the event, and the users who were members; nil if it is no longer due.
    /// - Throws: `PostgresError`.
    public func deleteWhereDue(
        _ id: ConversationID,
        _ rules: LifeCycleRules,
        at now: Timestamp
    ) async throws -> Committed<[UserID]>? {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT \(LifeCycleSelection.columns), c.event_number, c.team_id
                FROM conversations c \(LifeCycleSelection.join)
                WHERE c.id = $1 AND c.deleted_at IS NULL FOR UPDATE OF c
                """,
                [.uuid(id)]
            )
            guard let row = rows.first else { return nil }
            let action: AuditAction
            switch rules.due(try row.lifeCycle(), at: now) {
            case .expiry: action = .conversationExpired
            case .retirement: action = .conversationRetired
            case .nothing, .purge: return nil
            }
            let deletion = try await transaction.deleteConversation(
                id,
                n: row.decode("event_number", as: Int64.self) + 1
            )
            try transaction.audit(
                action,
                by: .server,
                team: row.optionalID("team_id", of: Team.self),
                object: id.description
            )
            return deletion
        }
    }

    /// Deletes expired sign-ins, API keys and links, records of access changes older than an hour,
    /// and request keys older than two days.
    public func deleteExpired() async throws {
        _ = try await pool.query("DELETE FROM sessions WHERE expires_at < now()")
        _ = try await pool.query("DELETE FROM sign_up_links WHERE expires_at < now()")
        _ = try await pool.query("DELETE FROM account_links WHERE expires_at < now()")
        _ = try await pool.query("DELETE FROM openid_requests WHERE expires_at < now()")
        // A device that asks late is told that its code has expired.
        _ = try await pool.query(
            "DELETE FROM device_sign_ins WHERE expires_at < now() - interval '10 minutes'"
        )
        _ = try await pool.query("DELETE FROM api_keys WHERE expires_at < now()")
        _ = try await pool.query(
            "DELETE FROM access_changes WHERE at < now() - interval '1 hour'"
        )
        _ = try await pool.query(
            "DELETE FROM idempotency_keys WHERE created_at < now() - interval '2 days'"
        )
    }

    /// Purges some rows of the conversation that has waited longest, or the texts of some messages
    /// that were deleted alone.
    /// - Parameters:
    ///   - rules: what is due.
    ///   - now: the current time.
    ///   - batch: maximum rows; rows that depend on a message (ratings, a summary) are deleted with
    ///     it.
    /// - Returns: what was done.
    /// - Throws: `PostgresError`.
    public func purgeStep(
        _ rules: LifeCycleRules,
        at now: Timestamp,
        batch: Int
    ) async throws -> PurgeStep {
        try await pool.transaction { transaction in
            guard try await transaction.takesPurgeLock() else { return .elsewhere }
            guard let next = try await transaction.lockPurgeable(rules, at: now) else {
                let count = try await transaction.emptyDeletedMessages(
                    until: rules.purgeCutoff(at: now),
                    limit: batch
                )
                return count == 0 ? .nothingLeft : .rows(count)
            }
            if next.isNew { try transaction.beginPurge(next.id) }
            for table in PurgedTable.allCases {
                let count = try await transaction.purge(table, of: next.id, limit: batch)
                if count > 0 { return .rows(count) }
            }
            try await transaction.endPurge(next)
            return .purged(next.id)
        }
    }
}

/// A conversation that is being purged.
private struct PurgedConversation {
    let id: ConversationID
    let team: TeamID?
    let deletedAt: Timestamp
    let isNew: Bool
}

/// The tables of a conversation, in the order of deletion: referencing rows first.
private enum PurgedTable: CaseIterable {
    case messages
    case events
    case members
}

extension StoreTransaction {
    /// Takes the lock for purging until the end of the transaction: only one node purges at a time.
    /// - Returns: whether it was free.
    /// - Throws: `PostgresError`.
    func takesPurgeLock() async throws -> Bool {
        let key: Int64 = 0x73_746F_612D_7067
        let rows = try await query("SELECT pg_try_advisory_xact_lock($1)", [.int64(key)])
        return try rows.first?.decode(as: Bool.self) == true
    }

    /// Locks the conversation to purge next.
    fileprivate func lockPurgeable(
        _ rules: LifeCycleRules,
        at now: Timestamp
    ) async throws -> PurgedConversation? {
        let rows = try await query(
            """
            SELECT \(LifeCycleSelection.columns), c.id, c.team_id, c.purging_at IS NULL AS is_new
            FROM conversations c \(LifeCycleSelection.join)
            WHERE c.deleted_at IS NOT NULL AND c.held_at IS NULL AND (
                c.purging_at IS NOT NULL OR c.deleted_at <= $2
                OR c.expires_at IS NOT NULL AND greatest(c.deleted_at, c.expires_at) <= $1)
            ORDER BY c.deleted_at LIMIT 1
            FOR UPDATE OF c
            """,
            [.date(now.date), .date(rules.purgeCutoff(at: now).date)]
        )
        guard let row = rows.first else { return nil }
        let facts = try row.lifeCycle()
        let isNew = try row.decode("is_new", as: Bool.self)
        // A purge that has begun continues, whatever the setting is now.
        guard let deletedAt = facts.deletedAt, !isNew || rules.due(facts, at: now) == .purge else {
            return nil
        }
        return PurgedConversation(
            id: try row.id("id", of: Conversation.self),
            team: try row.optionalID("team_id", of: Team.self),
            deletedAt: deletedAt,
            isNew: isNew
        )
    }

    /// From here on it cannot be restored. Removes the references to its messages.
    fileprivate func beginPurge(_ id: ConversationID) throws {
        try send(
            """
            UPDATE conversations SET purging_at = now(), leaf_id = NULL, system_prompt_id = NULL,
                title = ''
            WHERE id = $1
            """,
            [.uuid(id)]
        )
        try send(
            "UPDATE members SET selected_id = NULL WHERE conversation_id = $1 AND selected_id IS NOT NULL",
            [.uuid(id)]
        )
        try send("DELETE FROM generations WHERE conversation_id = $1", [.uuid(id)])
    }

    /// Deletes some rows of a table.
    /// - Returns: how many.
    fileprivate func purge(
        _ table: PurgedTable,
        of id: ConversationID,
        limit: Int
    ) async throws -> Int {
        let sql =
            switch table {
            case .messages:
                // Replies before their parents; an answer that continues another one was created
                // after it.
                """
                DELETE FROM messages WHERE conversation_id = $1 AND id IN (
                    SELECT id FROM messages WHERE conversation_id = $1
                    ORDER BY depth DESC, created_n DESC, id DESC LIMIT $2)
                """
            case .events:
                """
                DELETE FROM events WHERE conversation_id = $1 AND n IN (
                    SELECT n FROM events WHERE conversation_id = $1 ORDER BY n LIMIT $2)
                """
            case .members:
                // Clients that have not connected since the deletion must still receive this event.
                """
                WITH gone AS (
                    DELETE FROM members WHERE conversation_id = $1 AND user_id IN (
                        SELECT user_id FROM members WHERE conversation_id = $1 LIMIT $2)
                    RETURNING user_id, list_u
                )
                INSERT INTO unlisted (user_id, conversation_id, u)
                SELECT user_id, $1, list_u FROM gone
                ON CONFLICT (user_id, conversation_id) DO UPDATE SET u = excluded.u
                """
            }
        return try await query(sql, [.uuid(id), .integer(limit)]).affectedRowCount
    }

    fileprivate func endPurge(_ conversation: PurgedConversation) async throws {
        try send("DELETE FROM conversations WHERE id = $1", [.uuid(conversation.id)])
        try audit(
            .conversationPurged,
            by: .server,
            team: conversation.team,
            object: conversation.id.description,
            detail: ["deleted_at": conversation.deletedAt.description]
        )
    }

    /// Clears messages that were deleted alone: their positions in the tree stay.
    fileprivate func emptyDeletedMessages(until cutoff: Timestamp, limit: Int) async throws -> Int {
        try await query(
            """
            WITH emptied AS (
                UPDATE messages
                SET body = '', receipt = NULL, error = NULL, logprobs = NULL, deleted_n = NULL
                WHERE id IN (
                    SELECT m.id FROM messages m JOIN conversations c ON c.id = m.conversation_id
                    WHERE m.deleted_at <= $1 AND m.body <> '' AND c.held_at IS NULL
                    ORDER BY m.deleted_at LIMIT $2
                    FOR UPDATE OF m SKIP LOCKED)
                RETURNING conversation_id, id
            ), unrated AS (
                DELETE FROM feedback f USING emptied WHERE f.message_id = emptied.id
            ), unnamed AS (
                DELETE FROM mentions n USING emptied
                WHERE n.conversation_id = emptied.conversation_id AND n.message_id = emptied.id
            )
            SELECT FROM emptied
            """,
            [.date(cutoff.date), .integer(limit)]
        ).count
    }
}
