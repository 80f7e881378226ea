// What took access away since somebody looked: ended sign-ins, changed accounts, departures. It costs the
// same however many are connected.

public import ChatProtocol
import Postgres

/// What may have taken access away.
public struct AccessChanges: Sendable {
    /// How far a reader has come, in PostgreSQL's words.
    public struct Mark: Sendable, Hashable {
        /// The oldest transaction that had not ended: what it and later ones write is still to be met.
        let transaction: String
        /// Until when sign-ins that end by themselves were looked for.
        let time: String
    }

    /// Whose sign-ins, keys or account may not be what they were.
    public var users: Set<UserID> = []
    /// Where somebody is out of a conversation, or it is gone, with the number of the last event that says
    /// so.
    public var departures: [ConversationID: Int64] = [:]
    /// Where to go on. Some of what was told comes again as long as an old transaction goes on.
    public let mark: Mark
}

extension SessionStore {
    /// What may have taken access away, on whichever node or by whatever program.
    /// - Parameter mark: as the reading before this one returned it; nil for the first one, which tells
    ///   nothing but where to go on.
    /// - Returns: whom and what to look at again.
    /// - Throws: `PostgresError`.
    public func accessChanges(since mark: AccessChanges.Mark?) async throws -> AccessChanges {
        let rows = try await pool.query(
            """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS transaction, now()::text AS time,
                change.user_id, change.conversation_id, change.n
            FROM (VALUES (1)) AS always (one)
            LEFT JOIN (
                SELECT user_id, conversation_id, n FROM access_changes WHERE xid >= $1::xid8
                UNION ALL
                SELECT user_id, NULL, NULL FROM sessions
                WHERE expires_at > $2::timestamptz AND expires_at <= now()
                UNION ALL
                SELECT user_id, NULL, NULL FROM api_keys
                WHERE expires_at > $2::timestamptz AND expires_at <= now()
            ) change ON true
            """,
            [.text(mark?.transaction), .text(mark?.time)]
        )
        guard let first = rows.first else {
            throw WireError(.internalError, "reading the database's time failed")
        }
        var changes = AccessChanges(
            mark: AccessChanges.Mark(
                transaction: try first.decode("transaction", as: String.self),
                time: try first.decode("time", as: String.self)
            )
        )
        for row in rows {
            if let user = try row.optionalID("user_id", of: User.self) {
                changes.users.insert(user)
            } else if let conversation = try row.optionalID(
                "conversation_id",
                of: Conversation.self
            ) {
                let n = try row.decode("n", as: Int64.self)
                changes.departures[conversation] = max(n, changes.departures[conversation] ?? 0)
            }
        }
        return changes
    }
}
