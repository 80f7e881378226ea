// Messages: a question with its answer-to-be in one transaction, and pages of a branch.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The bounds of the queue, checked where an answer would join it.
public struct QueueLimits: Sendable {
    /// Waiting and running answers of all users together.
    public var total: Int
    /// Waiting and running answers of one user.
    public var perUser: Int

    /// Puts limits together.
    public init(total: Int, perUser: Int) {
        self.total = total
        self.perUser = perUser
    }
}

/// The columns of a message, and the join that knows its author's name, over a table or CTE `m`.
enum MessageSelection {
    static let columns = """
        m.id, m.conversation_id, m.parent_id, m.role, u.id, u.name, m.body, m.state, m.run_id,
        m.created_at, m.finish, m.usage::text, m.error::text, m.dropped_messages
        """
    static let author = "LEFT JOIN users u ON u.id = m.author_id"

    /// The branch that ends at message `$2` of conversation `$1`, its `$3` newest messages.
    static let branch = """
        WITH RECURSIVE m AS (
            SELECT id, conversation_id, parent_id, depth, role, author_id, body, state, run_id,
                created_at, finish, usage, error, dropped_messages, 1 AS step
            FROM messages WHERE conversation_id = $1 AND id = $2
            UNION ALL
            SELECT p.id, p.conversation_id, p.parent_id, p.depth, p.role, p.author_id, p.body,
                p.state, p.run_id, p.created_at, p.finish, p.usage, p.error, p.dropped_messages,
                m.step + 1
            FROM m JOIN messages p
                ON p.conversation_id = m.conversation_id AND p.id = m.parent_id
            WHERE m.step < $3
        )
        """
}

extension Store {
    /// Takes a question: stores it, its answer-to-be and its place in the queue, at once or not at
    /// all. The same key again answers as before and stores nothing.
    /// - Throws: `WireError.busy` where the queue is full.
    public func send(
        _ request: MessageSendRequest,
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<MessageSendReply> {
        let hash = RequestHash.of(request)
        return try await pool.transaction { transaction in
            if let reply = try await transaction.replay(
                request.key,
                of: user.id,
                hash: hash,
                as: MessageSendReply.self
            ) {
                return Committed(value: reply, events: [])
            }
            let lock = try await transaction.lock(request.conversation, for: user.id, to: .write)
            try await transaction.requirePlace(for: user.id, limits)
            let committed = try await transaction.insertTurn(request, by: user, lock)
            try await transaction.keep(committed.value, under: request.key, of: user.id)
            return committed
        }
    }

    /// The newest messages of the shown branch, or of the branch before a message.
    /// - Throws: `WireError.notFound` where the conversation is none of the user's.
    public func messages(
        of conversation: ConversationID,
        before: MessageID?,
        limit: Int,
        for user: UserID
    ) async throws -> MessageListReply {
        guard try await role(of: user, in: conversation) != nil else {
            throw WireError.noSuchConversation
        }
        let last: MessageID?
        if let before {
            let rows = try await pool.query(
                "SELECT parent_id FROM messages WHERE conversation_id = $1 AND id = $2",
                [.uuid(conversation), .uuid(before)]
            )
            guard let row = rows.first else { throw WireError.noSuchMessage }
            last = try row.optionalID(0, of: Message.self)
        } else {
            let rows = try await pool.query(
                "SELECT leaf_id FROM conversations WHERE id = $1",
                [.uuid(conversation)]
            )
            last = try rows.first?.optionalID(0, of: Message.self)
        }
        guard let last else { return MessageListReply(messages: [], more: false) }
        let messages = try await branch(of: conversation, endingAt: last, limit: limit)
        return MessageListReply(messages: messages, more: messages.first?.parent != nil)
    }

    /// The branch that ends at a message, oldest first, at most its `limit` newest.
    func branch(
        of conversation: ConversationID,
        endingAt last: MessageID,
        limit: Int
    ) async throws -> [Message] {
        let rows = try await pool.query(
            MessageSelection.branch + """
                SELECT \(MessageSelection.columns) FROM m \(MessageSelection.author)
                ORDER BY m.depth
                """,
            [.uuid(conversation), .uuid(last), .int32(Int32(clamping: limit))]
        )
        return try rows.map { try Message(row: $0) }
    }

    /// Where a message stands, and what the asker may do there.
    public func place(
        of message: MessageID,
        for user: UserID
    ) async throws -> (conversation: ConversationID, role: Role?, state: MessageState)? {
        let rows = try await pool.query(
            """
            SELECT m.conversation_id, me.role, m.state FROM messages m
            JOIN conversations c ON c.id = m.conversation_id AND c.deleted_at IS NULL
            LEFT JOIN members me ON me.conversation_id = m.conversation_id AND me.user_id = $2
            WHERE m.id = $1
            """,
            [.uuid(message), .uuid(user)]
        )
        return try rows.first.map { row in
            (
                try row.id(0, of: Conversation.self), try row.optionalWord(1, as: Role.self),
                try row.word(2, as: MessageState.self)
            )
        }
    }
}

extension PostgresTransaction {
    fileprivate func requirePlace(for user: UserID, _ limits: QueueLimits) async throws {
        let rows = try await query(
            "SELECT count(*), count(*) FILTER (WHERE user_id = $1) FROM generations",
            [.uuid(user)]
        )
        guard let row = rows.first else { return }
        if try row.decode(1, as: Int64.self) >= Int64(limits.perUser) {
            throw WireError(
                .busy,
                "you have \(limits.perUser) answers waiting; let some of them finish",
                retryAfter: 5
            )
        }
        if try row.decode(0, as: Int64.self) >= Int64(limits.total) {
            throw WireError(.busy, "too many answers are waiting on this server", retryAfter: 10)
        }
    }

    fileprivate func insertTurn(
        _ request: MessageSendRequest,
        by user: User,
        _ lock: LockedConversation
    ) async throws -> Committed<MessageSendReply> {
        let conversation = request.conversation
        let parent = request.parent ?? lock.leaf
        let depth = try await depth(of: parent, in: conversation)
        let question = Message(
            id: .make(),
            conversation: conversation,
            parent: parent,
            role: .user,
            author: User(id: user.id, name: user.name),
            text: request.text,
            state: .complete,
            createdAt: .now
        )
        let answer = Message(
            id: .make(),
            conversation: conversation,
            parent: question.id,
            role: .assistant,
            author: nil,
            text: "",
            state: .queued,
            run: .make(),
            createdAt: .now
        )
        try await insert(question, depth: depth + 1)
        try await insert(answer, depth: depth + 2)
        _ = try await query(
            "INSERT INTO generations (message_id, conversation_id, user_id) VALUES ($1, $2, $3)",
            [.uuid(answer.id), .uuid(conversation), .uuid(user.id)]
        )

        var n = lock.eventNumber
        var events: [ServerEvent] = []
        for message in [question, answer] {
            n += 1
            try await insertEvent(.messageCreated, n, in: conversation, message: message.id)
            events.append(
                .messageCreated(MessageCreated(conversation: conversation, n: n, message: message))
            )
        }
        if lock.title.isEmpty {
            n += 1
            let title = TitleRule.title(from: request.text)
            events.append(try await retitle(conversation, title, n))
        }
        try await touch(conversation, leaf: answer.id, eventNumber: n)
        let reply = MessageSendReply(
            message: question,
            answer: answer,
            n: lock.eventNumber + 2
        )
        return Committed(value: reply, events: events)
    }

    private func depth(
        of message: MessageID?,
        in conversation: ConversationID
    ) async throws -> Int32 {
        guard let message else { return 0 }
        let rows = try await query(
            "SELECT depth FROM messages WHERE conversation_id = $1 AND id = $2",
            [.uuid(conversation), .uuid(message)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try row.decode(0, as: Int32.self)
    }

    private func insert(_ message: Message, depth: Int32) async throws {
        _ = try await query(
            """
            INSERT INTO messages
                (conversation_id, id, parent_id, depth, role, author_id, body, state, run_id,
                created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .uuid(message.conversation), .uuid(message.id), .optional(message.parent),
                .int32(depth), .text(message.role.rawValue), .optional(message.author?.id),
                .text(message.text), .text(message.state.rawValue), .optional(message.run),
                .date(message.createdAt.date),
            ]
        )
    }

    /// Gives a conversation without a title its first one.
    private func retitle(
        _ conversation: ConversationID,
        _ title: String,
        _ n: Int64
    ) async throws -> ServerEvent {
        let rows = try await query(
            """
            UPDATE conversations SET title = $2 WHERE id = $1
            RETURNING system_prompt, temperature, top_p, max_tokens, model
            """,
            [.uuid(conversation), .text(title)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let change = ConversationChange(
            title: title,
            systemPrompt: try row.decode(0, as: String.self),
            model: try row.decode(4, as: String.self),
            settings: GenerationSettings(
                temperature: try row.decode(1, as: Double?.self),
                topP: try row.decode(2, as: Double?.self),
                maxTokens: try row.decode(3, as: Int32?.self).map(Int.init)
            )
        )
        try await insertEvent(.conversationUpdated, n, in: conversation, payload: .json(change))
        return .conversationUpdated(
            ConversationUpdated(conversation: conversation, n: n, changed: change)
        )
    }

    private func touch(
        _ conversation: ConversationID,
        leaf: MessageID,
        eventNumber: Int64
    ) async throws {
        _ = try await query(
            """
            UPDATE conversations SET event_number = $2, leaf_id = $3, updated_at = now()
            WHERE id = $1
            """,
            [.uuid(conversation), .int64(eventNumber), .uuid(leaf)]
        )
        _ = try await query(
            "UPDATE members SET activity_at = now() WHERE conversation_id = $1",
            [.uuid(conversation)]
        )
    }
}

extension Message {
    /// Reads a row of `MessageSelection.columns`.
    init(row: PostgresRow, from first: Int = 0) throws {
        let author = try row.optionalID(first + 4, of: User.self).map { id in
            User(id: id, name: try row.decode(first + 5, as: String.self))
        }
        self.init(
            id: try row.id(first, of: Message.self),
            conversation: try row.id(first + 1, of: Conversation.self),
            parent: try row.optionalID(first + 2, of: Message.self),
            role: try row.word(first + 3, as: MessageRole.self),
            author: author,
            text: try row.decode(first + 6, as: String.self),
            state: try row.word(first + 7, as: MessageState.self),
            run: try row.optionalID(first + 8, of: Run.self),
            createdAt: try row.timestamp(first + 9),
            finish: try row.optionalWord(first + 10, as: FinishReason.self),
            usage: try row.json(first + 11, as: Usage.self),
            error: try row.json(first + 12, as: WireError.self),
            droppedMessages: try row.decode(first + 13, as: Int32?.self).map(Int.init)
        )
    }
}
