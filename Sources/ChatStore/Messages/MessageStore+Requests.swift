// Turns of OpenAI's API, whose whole history comes with the request. Each is stored as a conversation
// of its own, so that it has a queue position, a budget, checkpoints, a takeover and a receipt as every
// other turn. The conversation has no members: no list, search or export shows it. It is deleted after
// a day.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// A turn whose whole history comes with the request.
public struct RequestedTurn: Codable, Sendable {
    /// A message before the question.
    public struct Earlier: Codable, Sendable {
        /// Who wrote it.
        public var role: MessageRole
        /// Its text.
        public var text: String

        /// Creates a message.
        public init(role: MessageRole, text: String) {
            self.role = role
            self.text = text
        }
    }

    /// Where a turn extends the conversation of an earlier request.
    public struct Place: Codable, Sendable {
        /// The conversation.
        public var conversation: ConversationID
        /// The answer to which the question is a reply.
        public var parent: MessageID

        /// Creates a place.
        public init(conversation: ConversationID, parent: MessageID) {
            self.conversation = conversation
            self.parent = parent
        }
    }

    /// The model.
    public var model: String
    /// The system prompt; empty for none, not even the server's.
    public var systemPrompt: String
    /// The messages before the question, oldest first.
    public var history: [Earlier]
    /// The questions: one, or the prompts of a request for text completions. Each has its answers.
    public var questions: [String]
    /// How the answer is generated.
    public var settings: GenerationSettings
    /// What it asks for beyond them.
    public var options = CompletionOptions()
    /// The number of answers to each question.
    public var answerCount = 1
    /// Whether later requests may refer to the answer.
    public var isStored = false
    /// The conversation of an earlier request that it extends; nil for one of its own.
    public var place: Place?

    /// The ids of a turn's conversation and messages, made before they are stored.
    public struct IDs: Sendable {
        /// The conversation.
        public let conversation: ConversationID
        /// The messages before the question.
        public let history: [MessageID]
        /// The questions.
        public let questions: [MessageID]

        /// Makes ids.
        public init(for turn: RequestedTurn) {
            conversation = turn.place?.conversation ?? .make()
            history = turn.history.map { _ in .make() }
            questions = turn.questions.map { _ in .make() }
        }
    }

    /// Creates a turn.
    public init(
        model: String,
        systemPrompt: String,
        history: [Earlier],
        questions: [String],
        settings: GenerationSettings
    ) {
        self.model = model
        self.systemPrompt = systemPrompt
        self.history = history
        self.questions = questions
        self.settings = settings
    }
}

/// A stored turn.
public struct RequestedTurnReply: Codable, Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The pending answers, in order; not empty.
    public let answers: [Message]
    /// The limit with the fewest tokens left.
    public let allowance: Allowance?
}

extension MessageStore {
    /// Stores a conversation with the turn's messages, the pending answers and their queue rows, all
    /// or nothing; or extends the conversation that the turn names. Repeating the key returns the
    /// first reply and stores nothing.
    ///
    /// A turn in a conversation of its own, with one answer, takes two round trips: one up to its
    /// position in the queue, one for the rest and the commit.
    /// - Parameters:
    ///   - turn: the turn.
    ///   - ids: the ids of its conversation and messages.
    ///   - key: the idempotency key; nil for a request that is never repeated.
    ///   - promptTokens: the counted tokens of the prompt of each question.
    ///   - beginning: the text with which each answer begins.
    ///   - user: who asks.
    ///   - limits: the limits of the queue.
    /// - Returns: the stored turn.
    /// - Throws: `WireError.busy` if the queue is full; `.budgetExceeded`; `.conflict` if the key
    ///   was used for a different request.
    public func send(
        _ turn: RequestedTurn,
        as ids: RequestedTurn.IDs,
        key: String?,
        promptTokens: [Int],
        beginning: String = "",
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<RequestedTurnReply> {
        let keyed = try key.map { key in
            try KeyedRequest(key, of: user.id, hash: RequestHash.of(turn))
        }
        var limits = limits
        limits.uncountedPromptTokens = nil
        return try await pool.keyed { transaction in
            if let keyed,
                let reply = try await transaction.replay(of: keyed, as: RequestedTurnReply.self)
            {
                return Committed(value: reply, events: [])
            }
            let committed = try await transaction.insert(
                turn,
                as: ids,
                promptTokens,
                beginning,
                by: user,
                limits
            )
            if let keyed { try transaction.keep(committed.value, of: keyed) }
            return committed
        }
    }

    /// The reply of an earlier request with a key.
    /// - Parameters:
    ///   - request: the turn.
    ///   - key: its key.
    ///   - user: who asks.
    /// - Returns: nil if the key is new.
    /// - Throws: `WireError.conflict` if the key was used for a different request.
    public func reply(
        to request: RequestedTurn,
        key: String,
        of user: UserID
    ) async throws -> RequestedTurnReply? {
        try await replay(of: KeyedRequest(key, of: user, hash: RequestHash.of(request)))
    }

    /// The same of a message in a conversation.
    public func reply(
        to request: MessageSendRequest,
        key: String,
        of user: UserID
    ) async throws -> MessageSendReply? {
        try await replay(of: KeyedRequest(key, of: user, hash: RequestHash.of(request)))
    }

    private func replay<Reply: Decodable>(of keyed: KeyedRequest) async throws -> Reply? {
        try await pool.transaction { transaction in
            try await transaction.replay(of: keyed, as: Reply.self)
        }
    }

    /// An answer as it is stored now.
    /// - Returns: the answer, and the number of the conversation's last event, read before it.
    /// - Throws: `WireError.notFound` if the user may not see it, or it is deleted.
    public func answer(
        _ message: MessageID,
        in conversation: ConversationID,
        for user: UserID
    ) async throws -> (message: Message, n: Int64) {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), c.event_number
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        if let refusal = Permission.decide(.read, try row.standing()).refusal { throw refusal }
        let messages = try await pool.query(
            """
            SELECT \(MessageSelection.columns) FROM messages m \(MessageSelection.author)
            WHERE m.conversation_id = $1 AND m.id = $2 AND m.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(message)]
        )
        guard let found = messages.first else { throw WireError.noSuchMessage }
        return (try Message(row: found), try row.decode("event_number", as: Int64.self))
    }
}

extension LifeCycleStore {
    /// Deletes conversations of OpenAI's API that have expired.
    /// - Parameter limit: maximum conversations.
    /// - Returns: the deleted conversations.
    /// - Throws: `PostgresError`.
    public func deleteExpiredRequests(limit: Int) async throws -> [ConversationID] {
        let rows = try await pool.query(
            """
            DELETE FROM conversations WHERE id IN (
                SELECT id FROM conversations
                WHERE api_user_id IS NOT NULL AND expires_at <= now() AND held_at IS NULL
                ORDER BY expires_at LIMIT $1
                FOR UPDATE SKIP LOCKED)
            RETURNING id
            """,
            [.integer(limit)]
        )
        return try rows.map { try $0.id("id", of: Conversation.self) }
    }
}
