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
    /// - Parameters:
    ///   - turn: the turn.
    ///   - key: the idempotency key.
    ///   - promptTokens: the counted tokens of the prompt of each question.
    ///   - beginning: the text with which each answer begins.
    ///   - user: who asks.
    ///   - limits: the limits of the queue.
    /// - Returns: the stored turn.
    /// - Throws: `WireError.busy` if the queue is full; `.budgetExceeded`; `.conflict` if the key
    ///   was used for a different request.
    public func send(
        _ turn: RequestedTurn,
        key: String,
        promptTokens: [Int],
        beginning: String = "",
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<RequestedTurnReply> {
        let keyed = try KeyedRequest(key, of: user.id, hash: RequestHash.of(turn))
        var limits = limits
        limits.uncountedPromptTokens = nil
        return try await pool.keyed { transaction in
            if let reply = try await transaction.replay(of: keyed, as: RequestedTurnReply.self) {
                return Committed(value: reply, events: [])
            }
            let id = turn.place?.conversation ?? .make()
            let last: MessageID?
            if let place = turn.place {
                try transaction.keepRequest(id)
                last = place.parent
            } else {
                last = try await transaction.insertRequest(
                    turn,
                    as: id,
                    promptTokens: promptTokens,
                    by: user.id
                )
            }
            let committed = try await transaction.insertAnswers(
                to: turn,
                beginning,
                after: last,
                in: id,
                by: user,
                limits
            )
            try transaction.keep(committed.value, of: keyed)
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

extension StoreTransaction {
    /// Inserts the turn's questions and their pending answers. Each answer is queued as if it had
    /// been asked for alone: under the limits of the queue, and with a reservation of its own.
    fileprivate func insertAnswers(
        to turn: RequestedTurn,
        _ beginning: String,
        after last: MessageID?,
        in id: ConversationID,
        by user: User,
        _ limits: QueueLimits
    ) async throws -> Committed<RequestedTurnReply> {
        func place() async throws -> (LockedConversation, QueueSlot) {
            let locked = try sendLock(id, for: user.id)
            let request = try sendSlotRequest(for: user.id, in: id, limits)
            let lock = try await self.lock(id, locked, to: .write)
            return (lock, try await requireSlot(request, limits))
        }
        var answers: [Message] = []
        var events: [ServerEvent] = []
        var queued: [QueueRow] = []
        var allowance: Allowance?
        for text in turn.questions {
            let (lock, slot) = try await place()
            let branch = NewTurn.Branch(parent: last, isSelected: false)
            var asked = NewTurn(question: text, branch: branch, by: user)
            asked.beginning = beginning
            let first = try await insertTurn(asked, lock, in: slot)
            answers.append(first.value.answer)
            events += first.events
            queued += first.queued
            allowance = first.value.allowance
            let question = first.value.message.id
            for _ in 1..<turn.answerCount {
                let (lock, slot) = try await place()
                let branch = NewTurn.Branch(parent: question, isSelected: false)
                var next = NewTurn(question: nil, branch: branch, by: user)
                // Its prompt has the question again, which the conversation's tokens do not count.
                next.repeatedTextBytes = text.utf8.count
                next.beginning = beginning
                let more = try await insertAnswer(next, to: question, lock, in: slot)
                answers.append(more.value.answer)
                events += more.events
                queued += more.queued
                allowance = more.value.allowance
            }
        }
        return Committed(
            value: RequestedTurnReply(conversation: id, answers: answers, allowance: allowance),
            events: events,
            queued: queued
        )
    }

    /// Lets the conversation of a stored request expire later, since it is extended.
    fileprivate func keepRequest(_ id: ConversationID) throws {
        try send(
            "UPDATE conversations SET expires_at = now() + interval '30 days' WHERE id = $1",
            [.uuid(id)]
        )
    }

    /// Inserts the conversation of a request, its system prompt and its history.
    /// - Returns: the last message of the history; nil if there is none.
    fileprivate func insertRequest(
        _ turn: RequestedTurn,
        as id: ConversationID,
        promptTokens: [Int],
        by user: UserID
    ) async throws -> MessageID? {
        let ids = turn.history.map { _ in MessageID.make() }
        // `QueueSlot.reserve` adds an estimate for the question.
        let contextTokens = zip(promptTokens, turn.questions).map { $0 - ($1.utf8.count / 4 + 8) }
        try send(
            """
            INSERT INTO conversations
                (id, title, context_policy, model, temperature, top_p, max_tokens, seed,
                stop_strings, context_tokens, leaf_id, api_user_id, api_stored, api_options,
                expires_at)
            VALUES ($1, 'API request', 'refuse', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
                now() + CASE WHEN $11 THEN interval '30 days' ELSE interval '1 day' END)
            """,
            [
                .uuid(id), .text(turn.model), .optional(turn.settings.temperature),
                .optional(turn.settings.topP), .optional(turn.settings.maxTokens),
                .optional(turn.settings.seed), turn.settings.stopValue,
                .int32(Int32(clamping: max(0, contextTokens.max() ?? 0))), .optional(ids.last),
                .uuid(user), .bool(turn.isStored),
                .json(turn.options.isEmpty ? nil : turn.options),
            ]
        )
        if !ids.isEmpty {
            try send(
                """
                INSERT INTO messages
                    (conversation_id, id, parent_id, depth, role, author_id, body, state, run_id,
                    finish, created_n)
                SELECT $1, new.id, lag(new.id) OVER (ORDER BY new.depth), new.depth, new.role,
                    CASE WHEN new.role = 'user' THEN $5::uuid END, new.body, 'complete',
                    CASE WHEN new.role = 'assistant' THEN new.id END,
                    CASE WHEN new.role = 'assistant' THEN 'stop' END, 0
                FROM unnest($2::uuid[], $3::text[], $4::text[])
                    WITH ORDINALITY AS new (id, role, body, depth)
                """,
                [
                    .uuid(id), .uuidArray(ids.map(\.uuid)),
                    .textArray(turn.history.map(\.role.rawValue)),
                    .textArray(turn.history.map(\.text)), .uuid(user),
                ]
            )
        }
        // Its own system prompt, even if that is empty: the server's does not apply.
        try await setSystemPrompt(turn.systemPrompt, of: id, by: user)
        return ids.last
    }
}
