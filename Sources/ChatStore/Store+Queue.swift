// The queue as rows: who may join it, what waits, and the claim of answers that a node has chosen. The
// order is ChatCore's (`FairQueue`); a node keeps a copy of the rows in memory, and each statement here
// holds also where that copy is out of date.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// The bounds of the queue, checked where an answer would join it.
public struct QueueLimits: Sendable {
    /// Waiting and running answers of all users together; nil where they are known to be far fewer.
    public var total: Int?
    /// Waiting and running answers of one user.
    public var perUser: Int
    /// Waiting and running answers of one team.
    public var perTeam: Int

    /// Puts limits together.
    public init(total: Int?, perUser: Int, perTeam: Int = .max) {
        self.total = total
        self.perUser = perUser
        self.perTeam = perTeam
    }
}

/// A row of the queue.
public struct QueueRow: Sendable {
    /// The answer; `promptTokens` is the guess of the row, `answerTokens` the most that it may have,
    /// 0 where its conversation says nothing.
    public var answer: QueuedAnswer
    /// The node that makes it, or did; nil where none has begun.
    public var owner: UUID?
    /// Whether that node's lease holds.
    public var isLeased: Bool

    /// Puts a row together.
    public init(answer: QueuedAnswer, owner: UUID?, isLeased: Bool) {
        self.answer = answer
        self.owner = owner
        self.isLeased = isLeased
    }
}

/// An answer of a user's that waits or grows.
public struct QueuedGeneration: Sendable {
    /// Where.
    public let conversation: ConversationID
    /// What that is called.
    public let title: String
    /// The answer.
    public let message: MessageID
    /// `queued` or `streaming`.
    public let state: MessageState
    /// How urgent it is.
    public let priority: QueuePriority
    /// When it was asked.
    public let queuedAt: Timestamp
}

extension Store {
    /// Reads the queue: what waits and what is being made, in the order of asking inside each priority.
    /// - Parameter limit: how many rows at most.
    /// - Returns: the rows.
    /// - Throws: `PostgresError`.
    public func queueRows(limit: Int) async throws -> [QueueRow] {
        let rows = try await pool.query(
            """
            SELECT g.message_id, g.conversation_id, g.user_id, g.priority, g.position,
                g.prompt_tokens, c.max_tokens, c.model, c.warm_node, g.lease_owner,
                coalesce(g.lease_until >= now(), false), g.team_id
            FROM generations g JOIN conversations c ON c.id = g.conversation_id
            ORDER BY g.priority, g.position LIMIT $1
            """,
            [.int64(Int64(limit))]
        )
        return try rows.map { row in
            QueueRow(
                answer: QueuedAnswer(
                    message: try row.id(0, of: Message.self),
                    conversation: try row.id(1, of: Conversation.self),
                    user: try row.id(2, of: User.self),
                    team: try row.decode(11, as: UUID?.self),
                    priority: QueuePriority(rawValue: try row.decode(3, as: Int16.self))
                        ?? .interactive,
                    position: try row.decode(4, as: Int64.self),
                    promptTokens: Int(try row.decode(5, as: Int32.self)),
                    answerTokens: Int(try row.decode(6, as: Int32?.self) ?? 0),
                    model: try row.decode(7, as: String.self),
                    warmNode: try row.decode(8, as: UUID?.self)
                ),
                owner: try row.decode(9, as: UUID?.self),
                isLeased: try row.decode(10, as: Bool.self)
            )
        }
    }

    /// Claims answers that a node has chosen. Of those, the ones that another node has, that have
    /// ended, or that stand behind another answer of their conversation, stay as they are.
    /// - Parameters:
    ///   - messages: the answers.
    ///   - node: who claims.
    ///   - lease: how long a claim holds unless it is renewed.
    /// - Returns: those that are the node's now.
    /// - Throws: `PostgresError`.
    public func claim(
        _ messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> [ClaimedRun] {
        let rows = try await pool.query(
            """
            WITH choice AS (
                SELECT g.message_id FROM generations g
                WHERE g.message_id = ANY ($4) AND (g.lease_until IS NULL OR g.lease_until < now())
                    AND NOT EXISTS (
                        SELECT FROM generations earlier
                        WHERE earlier.conversation_id = g.conversation_id
                            AND earlier.position < g.position
                    )
                FOR UPDATE OF g SKIP LOCKED
            ), claimed AS (
                UPDATE generations g
                SET lease_owner = $1, lease_until = now() + $2 * interval '1 second'
                FROM choice WHERE g.message_id = choice.message_id
                RETURNING g.conversation_id, g.message_id, g.attempts
            )
            UPDATE messages m
            SET state = 'streaming',
                run_id = CASE m.state WHEN 'queued' THEN m.run_id ELSE ($3::uuid[])[c.number] END
            FROM (SELECT *, row_number() OVER () AS number FROM claimed) c
            WHERE m.conversation_id = c.conversation_id AND m.id = c.message_id
            RETURNING m.id, m.conversation_id, m.run_id, c.attempts + 1, m.run_id = ANY ($3),
                m.created_n
            """,
            [
                .uuid(node), .double(lease.seconds),
                .uuidArray(messages.map { _ in RunID.make().uuid }),
                .uuidArray(messages.map(\.uuid)),
            ]
        )
        return try rows.map { row in
            ClaimedRun(
                message: try row.id(0, of: Message.self),
                conversation: try row.id(1, of: Conversation.self),
                run: try row.id(2, of: Run.self),
                attempt: Int(try row.decode(3, as: Int32.self)),
                isRestart: try row.decode(4, as: Bool.self),
                createdN: try row.decode(5, as: Int64.self)
            )
        }
    }

    /// A user's answers that wait or grow, in the order of asking.
    public func generations(of user: UserID, limit: Int) async throws -> [QueuedGeneration] {
        let rows = try await pool.query(
            """
            SELECT g.conversation_id, c.title, g.message_id, m.state, g.priority, g.queued_at
            FROM generations g
            JOIN conversations c ON c.id = g.conversation_id AND c.deleted_at IS NULL
            JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
            WHERE g.user_id = $1 ORDER BY g.position LIMIT $2
            """,
            [.uuid(user), .int64(Int64(limit))]
        )
        return try rows.map { row in
            QueuedGeneration(
                conversation: try row.id(0, of: Conversation.self),
                title: try row.decode(1, as: String.self),
                message: try row.id(2, of: Message.self),
                state: try row.word(3, as: MessageState.self),
                priority: QueuePriority(rawValue: try row.decode(4, as: Int16.self))
                    ?? .interactive,
                queuedAt: try row.timestamp(5)
            )
        }
    }
}

extension PostgresTransaction {
    /// Asks for a place in the queue, and does not wait for it. Behind the conversation's lock: places
    /// are in the order of the events then.
    func sendPlace(
        for user: UserID,
        in conversation: ConversationID,
        _ limits: QueueLimits
    ) throws -> Sent {
        // Counting all is a walk through the queue: only where that may matter.
        let total = limits.total == nil ? "0" : "(SELECT count(*) FROM generations)"
        return try send(
            """
            SELECT \(total)::bigint, (SELECT count(*) FROM generations WHERE user_id = $1),
                nextval('generations_position_seq'),
                (
                    SELECT count(*) FROM generations
                    WHERE team_id = (SELECT team_id FROM conversations WHERE id = $2)
                )
            """,
            [.uuid(user), .uuid(conversation)]
        )
    }

    /// Waits for the place that `sendPlace` asked for. Refuses where a user has, or a team has, or all
    /// have, as much in the queue as they may.
    /// - Throws: `WireError.busy`.
    func requirePlace(_ sent: Sent, _ limits: QueueLimits) async throws -> Int64 {
        let row = try await sent.rows().first
        guard let row else { throw WireError(.internalError, "the queue has no place") }
        if try row.decode(1, as: Int64.self) >= Int64(limits.perUser) {
            throw WireError(
                .busy,
                "you have \(limits.perUser) answers waiting; let some of them finish",
                retryAfter: 5
            )
        }
        if try row.decode(3, as: Int64.self) >= Int64(limits.perTeam) {
            throw WireError(
                .busy,
                "your team has \(limits.perTeam) answers waiting; let some of them finish",
                retryAfter: 5
            )
        }
        if let total = limits.total, try row.decode(0, as: Int64.self) >= Int64(total) {
            throw WireError(.busy, "too many answers are waiting on this server", retryAfter: 10)
        }
        return try row.decode(2, as: Int64.self)
    }

    /// Puts an answer in the queue. What comes of it is told by the commit.
    /// - Parameters:
    ///   - answer: the message, inserted already.
    ///   - lock: where.
    ///   - position: the place that was taken.
    ///   - user: who asks.
    ///   - priority: how urgent it is.
    ///   - bytes: the length of what the prompt will hold beyond the conversation's last one.
    /// - Returns: the row, for the queue in memory.
    /// - Throws: `PostgresError`.
    func enqueue(
        _ answer: MessageID,
        in lock: LockedConversation,
        at position: Int64,
        by user: UserID,
        priority: QueuePriority,
        newTextBytes bytes: Int
    ) throws -> QueueRow {
        let promptTokens = lock.answers.contextTokens + bytes / 4 + 8
        try send(
            """
            INSERT INTO generations
                (message_id, conversation_id, user_id, priority, prompt_tokens, position, team_id)
            OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .uuid(answer), .uuid(lock.id), .uuid(user), .int16(priority.rawValue),
                .int32(Int32(clamping: promptTokens)), .int64(position), .optional(lock.team),
            ]
        )
        return QueueRow(
            answer: QueuedAnswer(
                message: answer,
                conversation: lock.id,
                user: user,
                team: lock.team?.uuid,
                priority: priority,
                position: position,
                promptTokens: promptTokens,
                answerTokens: lock.answers.tokensMax,
                model: lock.answers.model,
                warmNode: lock.answers.warmNode
            ),
            owner: nil,
            isLeased: false
        )
    }
}
