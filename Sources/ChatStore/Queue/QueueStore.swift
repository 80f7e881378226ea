// The queue as rows: who may join it, what waits, and the claim of answers that a node has chosen. The
// order is ChatCore's (`FairQueue`); a node keeps a copy of the rows in memory, and each statement here
// holds also where that copy is out of date.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// The bounds of the queue, checked where an answer would join it.
public struct QueueLimits: Sendable {
    /// Queued and running answers of all users together; nil where they are known to be far fewer.
    public var total: Int?
    /// Queued and running answers of one user.
    public var perUser: Int
    /// Queued and running answers of one team.
    public var perTeam: Int
    /// The longest answer, in tokens, where its conversation says nothing else.
    public var answerTokens: Int
    /// The shortest answer, in tokens, that a budget may leave room for: less is refused.
    public var answerTokensMin: Int
    /// Prompts up to so many tokens fit into every model's context. A turn whose prompt may be longer
    /// is not stored before it was counted: `UncertainPrompt`. Nil where nothing can be counted, or
    /// was already.
    public var uncountedPromptTokens: Int?
    /// The most tokens that users may use for whom no other limit was set.
    public var budgetPerUser: TokenBudget

    /// Puts limits together.
    public init(
        total: Int?,
        perUser: Int,
        perTeam: Int = .max,
        answerTokens: Int = 1024,
        answerTokensMin: Int = .max,
        uncountedPromptTokens: Int? = nil,
        budgetPerUser: TokenBudget = .unlimited
    ) {
        self.total = total
        self.perUser = perUser
        self.perTeam = perTeam
        self.answerTokens = answerTokens
        self.answerTokensMin = answerTokensMin
        self.uncountedPromptTokens = uncountedPromptTokens
        self.budgetPerUser = budgetPerUser
    }
}

/// A row of the queue.
public struct QueueRow: Sendable {
    /// The answer; `promptTokens` is the guess of the row, `answerTokens` the most that it may have,
    /// 0 where its conversation says nothing.
    public var answer: QueuedAnswer
    /// The node that runs it, or did; nil where none has begun.
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

/// A queued or running answer of a user.
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
    /// Reads the queue: what is queued and what is running, in the order of asking inside each priority.
    /// - Parameter limit: how many rows at most.
    /// - Returns: the rows.
    /// - Throws: `PostgresError`.
    public func queueRows(limit: Int) async throws -> [QueueRow] {
        let rows = try await pool.query(
            """
            SELECT g.message_id, g.conversation_id, g.user_id, g.priority, g.position,
                g.prompt_tokens, coalesce(g.answer_tokens, c.max_tokens) AS max_tokens, c.model, c.warm_node, g.lease_owner,
                coalesce(g.lease_until >= now(), false) AS is_leased, g.team_id,
                g.tries > 0 AND coalesce(g.lease_until < now(), true) AS has_begun
            FROM generations g JOIN conversations c ON c.id = g.conversation_id
            ORDER BY g.priority, g.position LIMIT $1
            """,
            [.int64(Int64(limit))]
        )
        return try rows.map { row in
            QueueRow(
                answer: QueuedAnswer(
                    message: try row.id("message_id", of: Message.self),
                    conversation: try row.id("conversation_id", of: Conversation.self),
                    user: try row.id("user_id", of: User.self),
                    team: try row.decode("team_id", as: UUID?.self),
                    priority: QueuePriority(rawValue: try row.decode("priority", as: Int16.self))
                        ?? .interactive,
                    position: try row.decode("position", as: Int64.self),
                    promptTokens: Int(try row.decode("prompt_tokens", as: Int32.self)),
                    answerTokens: Int(try row.decode("max_tokens", as: Int32?.self) ?? 0),
                    model: try row.decode("model", as: String.self),
                    warmNode: try row.decode("warm_node", as: UUID?.self),
                    hasBegun: try row.decode("has_begun", as: Bool.self)
                ),
                owner: try row.decode("lease_owner", as: UUID?.self),
                isLeased: try row.decode("is_leased", as: Bool.self)
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
            RETURNING m.id, m.conversation_id, m.run_id, c.attempts + 1 AS attempt,
                m.run_id = ANY ($3) AS is_restart, m.created_n
            """,
            [
                .uuid(node), .double(lease.seconds),
                .uuidArray(messages.map { _ in RunID.make().uuid }),
                .uuidArray(messages.map(\.uuid)),
            ]
        )
        return try rows.map { row in
            ClaimedRun(
                message: try row.id("id", of: Message.self),
                conversation: try row.id("conversation_id", of: Conversation.self),
                run: try row.id("run_id", of: RunAttempt.self),
                attempt: Int(try row.decode("attempt", as: Int32.self)),
                isRestart: try row.decode("is_restart", as: Bool.self),
                createdN: try row.decode("created_n", as: Int64.self)
            )
        }
    }

    /// A user's queued and running answers, in the order of asking.
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
                conversation: try row.id("conversation_id", of: Conversation.self),
                title: try row.decode("title", as: String.self),
                message: try row.id("message_id", of: Message.self),
                state: try row.word("state", as: MessageState.self),
                priority: QueuePriority(rawValue: try row.decode("priority", as: Int16.self))
                    ?? .interactive,
                queuedAt: try row.timestamp("queued_at")
            )
        }
    }
}
