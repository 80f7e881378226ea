// Reads rows as records.

import ChatProtocol
import Postgres
import Transfers

extension ConversationRecord {
    /// Reads the first row of a conversation's export.
    init(id: ConversationID, row: PostgresRow) throws {
        let system = try row.decode("source_system", as: String?.self)
        let source = try row.decode("source_id", as: String?.self)
        self.init(
            id: id,
            title: try row.decode("title", as: String.self),
            team: try row.optionalID("team_id", of: Team.self),
            isOpen: try row.decode("is_open", as: Bool.self) ? true : nil,
            model: try row.decode("model", as: String.self),
            settings: try GenerationSettings(row: row),
            contextPolicy: try row.word("context_policy", as: ContextPolicy.self),
            systemPromptVersion: try row.decode("version", as: Int32?.self).map(Int.init),
            leaf: try row.optionalID("leaf_id", of: Message.self),
            createdAt: try row.milliseconds("created_at"),
            updatedAt: try row.milliseconds("updated_at"),
            source: system.flatMap { system in
                source.map { TransferSource(system: system, id: $0) }
            }
        )
    }
}

extension MemberRecord {
    /// The first unread message of member `m`, if the export includes it. Only the next hundred
    /// events are searched: an answer that was running while they read ends soon after.
    static let unreadSelection = """
        SELECT said.id FROM (
            SELECT e.message_id FROM events e
            WHERE m.unread > 0 AND e.conversation_id = m.conversation_id AND e.n > m.read_n
                AND e.name IN (\(unreadEvents))
            ORDER BY e.n LIMIT 100
        ) news
        JOIN messages said ON said.conversation_id = m.conversation_id
            AND said.id = news.message_id AND said.deleted_at IS NULL
            AND said.state IN ('complete', 'stopped', 'failed')
        WHERE said.role = 'assistant' OR said.author_id IS DISTINCT FROM m.user_id
        ORDER BY said.created_n LIMIT 1
        """

    /// The events that make a message unread: its creation, and, for an answer, its end.
    private static let unreadEvents = [
        ServerEvent.Name.messageCreated, .messageCompleted, .messageStopped, .messageFailed,
    ].map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Reads a row of a conversation's members.
    init(conversation: ConversationID, row: PostgresRow) throws {
        self.init(
            conversation: conversation,
            user: try row.id("user_id", of: User.self),
            role: try row.word("role", as: Role.self),
            joinedAt: try row.milliseconds("joined_at"),
            selected: try row.optionalID("selected_id", of: Message.self),
            archivedAt: try row.decode("archived_at", as: Int64?.self).map {
                Timestamp(milliseconds: $0)
            },
            pinnedAt: try row.decode("pinned_at", as: Int64?.self).map {
                Timestamp(milliseconds: $0)
            },
            folder: try row.decode("folder", as: String?.self),
            tags: try row.decode("tags", as: [String]?.self),
            firstUnread: try row.optionalID("unread_id", of: Message.self)
        )
    }
}

extension MessageRecord {
    /// The columns of a message `m`, and of `k`, which it continues.
    static let columns = """
        m.id, m.parent_id, m.role, m.author_id, m.author_name, m.body, m.state, m.run_id, m.finish,
        m.usage::text, m.error::text, m.model, m.dropped_messages, m.summarized_messages,
        k.id AS continues_id, \(TransferExport.milliseconds("m.created_at")) AS created_at
        """

    /// Reads those columns. The caller sets the number.
    init(conversation: ConversationID, row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Message.self),
            conversation: conversation,
            parent: try row.optionalID("parent_id", of: Message.self),
            number: 0,
            role: try row.word("role", as: MessageRole.self),
            author: try row.optionalID("author_id", of: User.self),
            authorName: try row.decode("author_name", as: String?.self),
            text: try row.decode("body", as: String.self),
            state: try row.word("state", as: MessageState.self),
            run: try row.optionalID("run_id", of: RunAttempt.self),
            finish: try row.optionalWord("finish", as: FinishReason.self),
            usage: try row.json("usage", as: Usage.self),
            error: try row.json("error", as: WireError.self),
            model: try row.decode("model", as: String?.self),
            droppedMessages: try row.decode("dropped_messages", as: Int32?.self).map(Int.init),
            summarizedMessages: try row.decode("summarized_messages", as: Int32?.self).map(
                Int.init
            ),
            continues: try row.optionalID("continues_id", of: Message.self),
            createdAt: try row.milliseconds("created_at")
        )
    }
}
