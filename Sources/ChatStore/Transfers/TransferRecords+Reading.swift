// Rows as records.

import ChatProtocol
import Postgres
import Transfers

extension ConversationRecord {
    /// Reads what the export of a conversation selects first.
    init(id: ConversationID, row: PostgresRow) throws {
        let system = try row.decode(11, as: String?.self)
        let source = try row.decode(12, as: String?.self)
        self.init(
            id: id,
            title: try row.decode(0, as: String.self),
            team: try row.optionalID(1, of: Team.self),
            isOpen: try row.decode(14, as: Bool.self) ? true : nil,
            model: try row.decode(2, as: String.self),
            settings: GenerationSettings(
                temperature: try row.decode(3, as: Double?.self),
                topP: try row.decode(4, as: Double?.self),
                maxTokens: try row.decode(5, as: Int32?.self).map(Int.init)
            ),
            contextPolicy: try row.word(6, as: ContextPolicy.self),
            systemPromptVersion: try row.decode(7, as: Int32?.self).map(Int.init),
            leaf: try row.optionalID(8, of: Message.self),
            createdAt: try row.milliseconds(9),
            updatedAt: try row.milliseconds(10),
            source: system.flatMap { system in
                source.map { TransferSource(system: system, id: $0) }
            }
        )
    }
}

extension MemberRecord {
    /// What member `m` has not read first, of what an export tells. Looked for among the next hundred
    /// events: an answer that was being made while they read ends soon after.
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

    /// What makes a message unread: that it was made, and, of an answer, that it has ended.
    private static let unreadEvents = [
        ServerEvent.Name.messageCreated, .messageCompleted, .messageStopped, .messageFailed,
    ].map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Reads a member: user, role, when, selected, archived, first unread.
    init(conversation: ConversationID, row: PostgresRow) throws {
        self.init(
            conversation: conversation,
            user: try row.id(0, of: User.self),
            role: try row.word(1, as: Role.self),
            joinedAt: try row.milliseconds(2),
            selected: try row.optionalID(3, of: Message.self),
            archivedAt: try row.decode(4, as: Int64?.self).map { Timestamp(milliseconds: $0) },
            firstUnread: try row.optionalID(5, of: Message.self)
        )
    }
}

extension MessageRecord {
    /// The columns of a message `m`, and of `k`, which it goes on from.
    static let columns = """
        m.id, m.parent_id, m.role, m.author_id, m.author_name, m.body, m.state, m.run_id, m.finish,
        m.usage::text, m.error::text, m.model, m.dropped_messages, m.summarized_messages, k.id,
        \(TransferExport.milliseconds("m.created_at"))
        """
    static let columnCount = 16

    /// Reads those columns from `first` on. The number is the reader's to give.
    init(conversation: ConversationID, row: PostgresRow, from first: Int) throws {
        self.init(
            id: try row.id(first, of: Message.self),
            conversation: conversation,
            parent: try row.optionalID(first + 1, of: Message.self),
            number: 0,
            role: try row.word(first + 2, as: MessageRole.self),
            author: try row.optionalID(first + 3, of: User.self),
            authorName: try row.decode(first + 4, as: String?.self),
            text: try row.decode(first + 5, as: String.self),
            state: try row.word(first + 6, as: MessageState.self),
            run: try row.optionalID(first + 7, of: Run.self),
            finish: try row.optionalWord(first + 8, as: FinishReason.self),
            usage: try row.json(first + 9, as: Usage.self),
            error: try row.json(first + 10, as: WireError.self),
            model: try row.decode(first + 11, as: String?.self),
            droppedMessages: try row.decode(first + 12, as: Int32?.self).map(Int.init),
            summarizedMessages: try row.decode(first + 13, as: Int32?.self).map(Int.init),
            continues: try row.optionalID(first + 14, of: Message.self),
            createdAt: try row.milliseconds(first + 15)
        )
    }
}
