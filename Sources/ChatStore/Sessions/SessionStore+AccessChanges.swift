// Changes that may have taken access away since the last poll: ended sign-ins, changed accounts,
// departures. The cost does not depend on the number of connections.

public import ChatProtocol
import Postgres

/// Changes that may have taken access away.
public struct AccessChanges: Sendable {
    /// The position up to which a reader has read.
    public struct Mark: Sendable, Hashable {
        /// The oldest transaction still running: its changes, and those of later ones, are still to
        /// be read.
        let transaction: String
        /// The time up to which expired sign-ins were read.
        let time: String
    }

    /// Users whose sign-ins, keys or account may have changed.
    public var users: Set<UserID> = []
    /// Conversations that a member has left or that were deleted, with the number of the last such
    /// event.
    public var departures: [ConversationID: Int64] = [:]
    /// The position to continue at. Some changes are returned again while an old transaction is
    /// running.
    public let mark: Mark
}

extension SessionStore {
    /// Changes that may have taken access away, by any node or program.
    /// - Parameter mark: the position returned by the previous call; nil for the first call, which
    ///   returns only a position.
    /// - Returns: the users and conversations to check again.
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
