// The rows of the queue: its limits, reading it, and claiming answers that a node has chosen.
// ChatCore decides the order (`FairQueue`). A node has a copy of the rows in memory; each statement
// here is correct even if that copy is out of date.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// The trace that a queued answer is a part of, as header fields of W3C Trace Context.
public struct QueuedTrace: Sendable, Hashable {
    /// The field `traceparent`.
    public let parent: String
    /// The field `tracestate`; nil for none.
    public let state: String?

    /// Creates a trace.
    public init(parent: String, state: String?) {
        self.parent = parent
        self.state = state
    }
}

/// The limits of the queue, checked when an answer is added to it, and what else its row says.
public struct QueueLimits: Sendable {
    /// Maximum queued and running answers of all users; nil if there are known to be far fewer.
    public var total: Int?
    /// Maximum queued and running answers per user.
    public var perUser: Int
    /// Maximum queued and running answers per team.
    public var perTeam: Int
    /// Maximum tokens of an answer if its conversation sets none.
    public var answerTokens: Int
    /// Minimum tokens that a budget must allow for an answer; otherwise it is refused.
    public var answerTokensMin: Int
    /// Prompts up to this many tokens fit into every model's context. A turn whose prompt may be
    /// longer is stored only after its tokens were counted (`UncertainPrompt`). Nil if tokens
    /// cannot be counted, or were already.
    public var uncountedPromptTokens: Int?
    /// The budget of users without one of their own.
    public var budgetPerUser: TokenBudget
    /// The trace that the answer is a part of; nil for none.
    public var trace: QueuedTrace?
    /// Slots of this node for the answers, if no other one waits; else nil.
    public var freeSlots: FreeSlots?

    /// Creates limits.
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
    /// The answer. `promptTokens` is the estimate in the row; `answerTokens` is the answer's
    /// maximum, 0 if its conversation sets none.
    public var answer: QueuedAnswer
    /// The node that runs it, or ran it last; nil if no node holds or held its lease.
    public var owner: UUID?
    /// Whether the lease of that node has not expired.
    public var isLeased: Bool
    /// The run, if the transaction that added the row has claimed it.
    public var claim: ClaimedRun?
    /// The run's input, if that transaction knows all of it; else nil.
    public internal(set) var input: RunInput?

    /// Creates a row.
    public init(answer: QueuedAnswer, owner: UUID?, isLeased: Bool) {
        self.answer = answer
        self.owner = owner
        self.isLeased = isLeased
    }
}

/// A queued or running answer of a user.
public struct QueuedGeneration: Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The conversation's title.
    public let title: String
    /// The answer.
    public let message: MessageID
    /// `queued` or `streaming`.
    public let state: MessageState
    /// The priority.
    public let priority: QueuePriority
    /// When it was queued.
    public let queuedAt: Timestamp
}

/// The queue: rows of queued and running answers, and their leases.
public struct QueueStore {
    let pool: StorePool

    /// The queued and running answers, by priority, then queue position.
    /// - Parameter limit: maximum rows.
    /// - Returns: the rows.
    /// - Throws: `PostgresError`.
    public func rows(limit: Int) async throws -> [QueueRow] {
        let rows = try await pool.query(
            """
            SELECT g.message_id, g.conversation_id, g.user_id, g.priority, g.position,
                g.prompt_tokens, coalesce(g.answer_tokens, c.max_tokens) AS max_tokens, c.model,
                c.warm_node, g.lease_owner, c.api_user_id IS NOT NULL AS is_independent,
                coalesce(g.lease_until >= now(), false) AS is_leased, g.team_id,
                g.tries > 0 AND coalesce(g.lease_until < now(), true) AS has_begun,
                g.attempts > 0 AND coalesce(g.lease_until < now(), true) AS needs_quarantine
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
                    hasBegun: try row.decode("has_begun", as: Bool.self),
                    needsQuarantine: try row.decode("needs_quarantine", as: Bool.self),
                    isIndependent: try row.decode("is_independent", as: Bool.self)
                ),
                owner: try row.decode("lease_owner", as: UUID?.self),
                isLeased: try row.decode("is_leased", as: Bool.self)
            )
        }
    }

    /// Claims answers that a node has chosen, except those that another node runs, that have ended,
    /// or that follow another unfinished answer of their conversation; in a conversation of OpenAI's
    /// API no answer waits for another one. The first claim of an answer counts as an attempt.
    /// - Parameters:
    ///   - messages: the answers.
    ///   - node: the node.
    ///   - lease: duration of the leases.
    /// - Returns: the claimed runs.
    /// - Throws: `PostgresError`.
    public func claim(
        _ messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> [ClaimedRun] {
        let rows = try await pool.query(
            """
            WITH choice AS (
                SELECT g.message_id, m.run_id,
                    g.run_id IS NULL AND m.state = 'queued' AS is_first
                FROM generations g
                JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
                WHERE g.message_id = ANY ($4) AND (g.lease_until IS NULL OR g.lease_until < now())
                    AND NOT EXISTS (
                        SELECT FROM generations earlier
                        JOIN conversations c ON c.id = earlier.conversation_id
                        WHERE earlier.conversation_id = g.conversation_id
                            AND earlier.position < g.position AND c.api_user_id IS NULL
                    )
                FOR UPDATE OF g SKIP LOCKED
            ), claimed AS (
                UPDATE generations g
                SET lease_owner = $1, lease_until = now() + $2 * interval '1 second',
                    attempts = g.attempts + choice.is_first::integer,
                    tries = g.tries + choice.is_first::integer,
                    run_id = CASE WHEN choice.is_first THEN choice.run_id ELSE g.run_id END
                FROM choice WHERE g.message_id = choice.message_id
                RETURNING g.conversation_id, g.message_id, g.attempts, choice.is_first,
                    g.stop_requested_at IS NOT NULL AS is_stopped, g.stop_seen, g.queued_at,
                    g.trace_parent, g.trace_state
            )
            UPDATE messages m
            SET state = 'streaming',
                run_id = CASE WHEN c.is_first THEN m.run_id ELSE ($3::uuid[])[c.number] END
            FROM (SELECT *, row_number() OVER () AS number FROM claimed) c
            WHERE m.conversation_id = c.conversation_id AND m.id = c.message_id
            RETURNING m.id AS message_id, m.conversation_id, m.run_id, m.created_n, c.attempts,
                c.is_first, c.is_stopped, c.stop_seen,
                CASE WHEN c.is_first THEN m.body ELSE '' END AS body, c.queued_at, c.trace_parent,
                c.trace_state
            """,
            [
                .uuid(node), .double(lease.seconds),
                .uuidArray(messages.map { _ in RunID.make().uuid }),
                .uuidArray(messages.map(\.uuid)),
            ]
        )
        let stops = try HeldRuns(rows: rows).stops
        return try rows.map { row in
            let message = try row.id("message_id", of: Message.self)
            let isFirst = try row.decode("is_first", as: Bool.self)
            let body = try row.decode("body", as: String.self)
            return ClaimedRun(
                message: message,
                conversation: try row.id("conversation_id", of: Conversation.self),
                run: try row.id("run_id", of: RunAttempt.self),
                attempt: Int(try row.decode("attempts", as: Int32.self)) + (isFirst ? 0 : 1),
                isRestart: !isFirst,
                createdN: try row.decode("created_n", as: Int64.self),
                queuedAt: try row.timestamp("queued_at"),
                trace: try row.decode("trace_parent", as: String?.self).map {
                    QueuedTrace(
                        parent: $0,
                        state: try row.decode("trace_state", as: String?.self)
                    )
                },
                start: isFirst ? RunStart(firstWith: body, stop: stops[message]) : nil
            )
        }
    }

    /// A user's queued and running answers, by queue position.
    public func generations(of user: UserID, limit: Int) async throws -> [QueuedGeneration] {
        let rows = try await pool.query(
            """
            SELECT g.conversation_id, c.title, g.message_id, m.state, g.priority, g.queued_at
            FROM generations g
            JOIN conversations c ON c.id = g.conversation_id AND c.deleted_at IS NULL
            JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
            WHERE g.user_id = $1 AND c.api_user_id IS NULL ORDER BY g.position LIMIT $2
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
