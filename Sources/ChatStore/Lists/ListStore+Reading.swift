// How far a user has read a conversation.

import ChatCore
public import ChatProtocol
import Postgres

extension ListStore {
    /// Marks a conversation as read up to an event. A lower number than before changes nothing.
    /// - Returns: the number of messages that are still unread.
    /// - Throws: `WireError.notFound` if the user is not a member of the conversation.
    public func markRead(_ request: ConversationReadRequest, by user: UserID) async throws -> Int {
        let values: [PostgresValue] = [
            .uuid(request.conversation), .uuid(user), .int64(request.n),
        ]
        return try await pool.transaction { transaction in
            // Members do not block each other here, but new messages wait until the count is
            // stored.
            let rows = try await transaction.query(
                """
                SELECT me.unread,
                    me.unread > 0 AND least($3, c.event_number) > me.read_n AS has_changed
                FROM conversations c
                JOIN members me ON me.conversation_id = c.id AND me.user_id = $2
                WHERE c.id = $1 AND c.deleted_at IS NULL
                FOR SHARE OF c
                """,
                values
            )
            guard let row = rows.first else { throw WireError.noSuchConversation }
            guard try row.decode("has_changed", as: Bool.self) else {
                return Int(try row.decode("unread", as: Int32.self))
            }
            let marked = try await transaction.query(
                """
                WITH \(ListNumbers.next(of: "SELECT $2::uuid AS user_id")), unread AS (
                    SELECT count(*)::integer AS count
                    FROM events e
                    JOIN messages m ON m.conversation_id = e.conversation_id AND m.id = e.message_id
                    WHERE e.conversation_id = $1 AND e.n > $3
                        AND (
                            (e.name = '\(ServerEvent.Name.messageCreated.rawValue)'
                                AND m.role = 'user' AND m.author_id IS DISTINCT FROM $2)
                            OR e.name IN (
                                '\(ServerEvent.Name.messageCompleted.rawValue)',
                                '\(ServerEvent.Name.messageStopped.rawValue)',
                                '\(ServerEvent.Name.messageFailed.rawValue)')
                        )
                )
                UPDATE members me
                SET list_u = counted.u, unread = unread.count,
                    read_n = least($3, (SELECT event_number FROM conversations WHERE id = $1))
                FROM counted, unread
                WHERE me.conversation_id = $1 AND me.user_id = counted.user_id
                RETURNING me.unread
                """,
                values
            )
            return Int(try marked.first?.decode("unread", as: Int32.self) ?? 0)
        }
    }
}
