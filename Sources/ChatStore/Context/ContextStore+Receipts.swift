// The receipts of answers, which are stored with them and read as they are.

import ChatCore
public import ChatProtocol
import Postgres

extension Store {
    /// How an answer was made, as JSON.
    /// - Returns: nil for a message that has no receipt: a question, or an answer that never began.
    /// - Throws: `WireError.notFound` where the conversation is none of the user's, or the message
    ///   is not in it.
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
