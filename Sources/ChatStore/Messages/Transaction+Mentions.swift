// Members mentioned in a question, stored with it, so that lists need not parse texts.

import ChatCore
import ChatProtocol
import Postgres

extension StoreTransaction {
    /// The members whom a question mentions, in any case, except its author; ordered by id. The
    /// conversation's row must be locked. A text without mentions needs no query.
    func membersNamed(
        in text: String,
        of conversation: ConversationID,
        by author: UserID
    ) async throws -> [User] {
        let mentions = MentionRule.names(in: text)
        guard !mentions.isEmpty else { return [] }
        let numbers = mentions.enumerated().flatMap { mention, names in
            names.map { _ in Int64(mention) }
        }
        let rows = try await query(
            """
            SELECT id, name FROM (
                SELECT DISTINCT ON (written.mention) u.id, u.name
                FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY
                    AS written (name, mention, attempt)
                JOIN users u ON lower(u.name) = lower(written.name) AND u.deleted_at IS NULL
                JOIN members m ON m.conversation_id = $1 AND m.user_id = u.id
                ORDER BY written.mention, written.attempt
            ) named
            WHERE id <> $4 GROUP BY id, name ORDER BY id
            """,
            [
                .uuid(conversation), .textArray(mentions.flatMap(\.self)),
                .int64Array(numbers), .uuid(author),
            ]
        )
        return try rows.map { row in
            User(id: try row.id("id", of: User.self), name: try row.decode("name", as: String.self))
        }
    }

    /// Stores the mentions of a stored message, without waiting for the result. `n` is the number
    /// of the message's event.
    func insertMentions(of users: [User], in message: Message, n: Int64) throws {
        guard !users.isEmpty else { return }
        try send(
            """
            INSERT INTO mentions (conversation_id, message_id, user_id, n)
            SELECT $1, $2, user_id, $4 FROM unnest($3::uuid[]) AS named (user_id)
            """,
            [
                .uuid(message.conversation), .uuid(message.id), .uuidArray(users.map(\.id.uuid)),
                .int64(n),
            ]
        )
    }
}
