// Receipts of answers, which are stored and returned as JSON.

import ChatCore
public import ChatProtocol
import Postgres

extension ContextStore {
    /// An answer's receipt, as JSON.
    /// - Returns: nil for a message without a receipt: a question, or an answer that never started.
    /// - Throws: `WireError.notFound` if the user is not a member of the conversation, or the
    ///   message is not in it, or is deleted.
    public func receipt(
        of message: MessageID,
        in conversation: ConversationID,
        for user: UserID
    ) async throws -> String? {
        try await conversations.require(.read, of: user, in: conversation)
        let rows = try await pool.query(
            """
            SELECT receipt::text FROM messages
            WHERE conversation_id = $1 AND id = $2 AND deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(message)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try row.decode(as: String?.self)
    }
}
