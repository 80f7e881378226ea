// SQL for messages: their columns, the rows of a branch, and siblings.

import ChatProtocol
import Postgres

/// The columns of a message, and the join to its author's name, over a table or CTE `m`.
enum MessageSelection {
    /// The message's own columns. The text of a deleted message is never selected.
    static let columns = """
        m.id, m.conversation_id, m.parent_id, m.role, u.id AS author_id, u.name AS author,
        CASE WHEN m.deleted_at IS NULL THEN m.body ELSE '' END AS body, m.state, m.run_id,
        m.created_at, m.finish, m.usage::text, m.error::text, m.dropped_messages, m.continues_id,
        m.summarized_messages, m.author_name
        """
    static let author = "LEFT JOIN users u ON u.id = m.author_id"
    /// The author's name for the prompt; null if the account was deleted.
    static let speaker = "CASE WHEN u.deleted_at IS NULL THEN u.name END"

    /// The same with siblings, feedback and mentions: for clients.
    static let wireColumns = """
        \(columns),
        CASE WHEN m.parent_id IS NULL THEN (
            SELECT json_agg(s.id ORDER BY s.created_n, s.id)::text FROM messages s
            WHERE s.conversation_id = m.conversation_id AND s.parent_id IS NULL
                AND s.deleted_at IS NULL
            HAVING count(*) > 1
        ) ELSE (
            SELECT json_agg(s.id ORDER BY s.created_n, s.id)::text FROM messages s
            WHERE s.conversation_id = m.conversation_id AND s.parent_id = m.parent_id
                AND s.deleted_at IS NULL
            HAVING count(*) > 1
        ) END AS siblings,
        (
            SELECT json_agg(
                json_strip_nulls(json_build_object(
                    'user', json_build_object('id', fu.id, 'name', fu.name),
                    'rating', f.rating, 'text', f.text))
                ORDER BY f.given_at, fu.id
            )::text
            FROM feedback f JOIN users fu ON fu.id = f.user_id
            WHERE f.message_id = m.id
        ) AS feedback,
        (
            SELECT json_agg(json_build_object('id', nu.id, 'name', nu.name) ORDER BY nu.id)::text
            FROM mentions n JOIN users nu ON nu.id = n.user_id
            WHERE n.conversation_id = m.conversation_id AND n.message_id = m.id
                AND m.deleted_at IS NULL
        ) AS mentions
        """

    /// The branch that ends at message `$2` of conversation `$1`: its `$3` newest messages that are
    /// not deleted, read at one moment. A message is deleted with all below it, so those left are
    /// the branch's beginning.
    static let branch = """
        WITH RECURSIVE up AS (
            SELECT id, conversation_id, parent_id, depth, role, author_id, body, state, run_id,
                created_at, finish, usage, error, dropped_messages, continues_id, deleted_at,
                summarized_messages, author_name, (deleted_at IS NULL)::integer AS count
            FROM messages WHERE conversation_id = $1 AND id = $2
            UNION ALL
            SELECT p.id, p.conversation_id, p.parent_id, p.depth, p.role, p.author_id, p.body,
                p.state, p.run_id, p.created_at, p.finish, p.usage, p.error, p.dropped_messages,
                p.continues_id, p.deleted_at, p.summarized_messages, p.author_name,
                up.count + (p.deleted_at IS NULL)::integer
            FROM up JOIN messages p
                ON p.conversation_id = up.conversation_id AND p.id = up.parent_id
            WHERE up.count < $3
        ), m AS (SELECT * FROM up WHERE deleted_at IS NULL)
        """

    /// The leaf of the branch through message `$2` of conversation `$1`, always following the
    /// newest reply; no row if that message does not exist.
    static let leaf = """
        WITH RECURSIVE down AS (
            SELECT id, 1 AS step FROM messages
            WHERE conversation_id = $1 AND id = $2 AND deleted_at IS NULL
            UNION ALL
            SELECT reply.id, down.step + 1 FROM down CROSS JOIN LATERAL (
                SELECT id FROM messages
                WHERE conversation_id = $1 AND parent_id = down.id AND deleted_at IS NULL
                ORDER BY created_n DESC, id DESC LIMIT 1
            ) reply
        )
        SELECT id FROM down ORDER BY step DESC LIMIT 1
        """

    /// The replies to message `$2`, or, for null, the first messages of conversation `$1`.
    static let children = """
        SELECT id FROM messages
        WHERE conversation_id = $1 AND deleted_at IS NULL
            AND ($2::uuid IS NULL AND parent_id IS NULL OR parent_id = $2)
        ORDER BY created_n, id
        """
}

extension Message {
    /// Reads a row of `MessageSelection.columns`.
    init(row: PostgresRow) throws {
        let author = try row.optionalID("author_id", of: User.self).map { id in
            User(id: id, name: try row.decode("author", as: String.self))
        }
        self.init(
            id: try row.id("id", of: Message.self),
            conversation: try row.id("conversation_id", of: Conversation.self),
            parent: try row.optionalID("parent_id", of: Message.self),
            role: try row.word("role", as: MessageRole.self),
            author: author,
            text: try row.decode("body", as: String.self),
            state: try row.word("state", as: MessageState.self),
            run: try row.optionalID("run_id", of: RunAttempt.self),
            createdAt: try row.timestamp("created_at"),
            finish: try row.optionalWord("finish", as: FinishReason.self),
            usage: try row.json("usage", as: Usage.self),
            error: try row.json("error", as: WireError.self),
            droppedMessages: try row.decode("dropped_messages", as: Int32?.self).map(Int.init),
            summarizedMessages: try row.decode("summarized_messages", as: Int32?.self).map(
                Int.init
            ),
            continues: try row.optionalID("continues_id", of: Message.self),
            authorName: try row.decode("author_name", as: String?.self)
        )
    }

    /// Reads a row of `MessageSelection.wireColumns`.
    init(wireRow row: PostgresRow) throws {
        try self.init(row: row)
        siblings = try row.json("siblings", as: [MessageID].self)
        feedback = try row.json("feedback", as: [Feedback].self)
        mentions = try row.json("mentions", as: [User].self)
    }
}
