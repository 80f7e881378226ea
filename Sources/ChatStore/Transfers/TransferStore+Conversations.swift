// Conversations and messages for imports: finding existing ones, and deleting interrupted ones.

import ChatProtocol
import Postgres
import Transfers

/// The conversation that an earlier import of the same source created.
struct EarlierImport {
    let conversation: ConversationID
    /// Whether it was imported completely.
    let isComplete: Bool
    /// Whether it exists, and is not deleted.
    let isShown: Bool
}

extension TransferStore {
    /// The conversation that an earlier import of a source created.
    /// - Parameters:
    ///   - source: the source.
    ///   - user: the account imported into; nil for an import of everything.
    /// - Returns: nil if no import created one.
    /// - Throws: `PostgresError`.
    func imported(_ source: TransferSource, by user: UserID?) async throws -> EarlierImport? {
        let rows = try await pool.query(
            """
            SELECT i.conversation_id, i.is_complete, c.deleted_at IS NULL AS is_there
            FROM imports i JOIN conversations c ON c.id = i.conversation_id
            WHERE i.owner_id IS NOT DISTINCT FROM $1 AND i.source_system = $2 AND i.source_id = $3
            """,
            [.optional(user), .text(source.system), .text(source.id)]
        )
        return try rows.first.map { row in
            EarlierImport(
                conversation: try row.id("conversation_id", of: Conversation.self),
                isComplete: try row.decode("is_complete", as: Bool.self),
                isShown: try row.decode("is_there", as: Bool.self)
            )
        }
    }

    /// Whether a user can see a conversation, or, for nil, whether it is not deleted.
    /// - Returns: nil if no conversation has the id.
    func isShown(_ conversation: ConversationID, to user: UserID?) async throws -> Bool? {
        let rows = try await pool.query(
            """
            SELECT c.deleted_at IS NULL AND ($2::uuid IS NULL OR EXISTS (
                SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2
            ))
            FROM conversations c WHERE c.id = $1
            """,
            [.uuid(conversation), .optional(user)]
        )
        return try rows.first?.decode(as: Bool.self)
    }

    /// The ids among some that messages have already.
    func taken(_ ids: [MessageID]) async throws -> Set<MessageID> {
        guard !ids.isEmpty else { return [] }
        let rows = try await pool.query(
            "SELECT id FROM messages WHERE id = ANY ($1)",
            [.uuidArray(ids.map(\.uuid))]
        )
        return Set(try rows.map { try $0.id("id", of: Message.self) })
    }

    /// Deletes what an import has written of an incomplete conversation.
    func dropHidden(_ id: ConversationID) async throws {
        _ = try await pool.query(
            """
            DELETE FROM conversations c WHERE c.id = $1 AND EXISTS (
                SELECT FROM imports i WHERE i.conversation_id = c.id AND NOT i.is_complete
            )
            """,
            [.uuid(id)]
        )
    }
}
