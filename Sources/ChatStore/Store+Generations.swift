// The queue of answers to make. A row is claimed under a lease in a transaction of its own; no lock is
// held while a model computes; a row leaves with its answer's final state.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// An answer that this node may make until its lease ends.
public struct ClaimedRun: Sendable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
    /// This attempt.
    public let run: RunID
    /// 1 for the first attempt; more where a node died over an earlier one.
    public let attempt: Int
    /// Whether an earlier run of this answer was begun: its text is void, this one starts at 0.
    public let isRestart: Bool
}

/// Which models' answers a node can make at a moment.
public enum ModelFilter: Sendable, Hashable {
    /// Those of these models.
    case only([String])
    /// Those of all models, also such as the node has not, but for these.
    case allBut([String])
}

/// An answer that waits.
public struct WaitingPlace: Sendable {
    /// Where.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// Its place in the whole queue, 1 for the next.
    public let position: Int
    /// The model that its conversation asks for.
    public let model: String
}

/// What an answer is made from.
public struct RunInput: Sendable {
    /// What the model is told first.
    public let systemPrompt: String
    /// The model that the conversation asks for.
    public let model: String
    /// How the answer is made.
    public let settings: GenerationSettings
    /// The newest messages of the branch, oldest first, the question last.
    public let branch: [PromptMessage]
    /// How many messages of the branch stand before those.
    public let olderMessageCount: Int
}

/// How an answer ended.
public struct RunOutcome: Sendable {
    /// The whole text.
    public var text: String
    /// `complete`, `stopped` or `failed`.
    public var state: MessageState
    /// Why.
    public var finish: FinishReason
    /// What it cost; nil where it never started.
    public var usage: Usage?
    /// What went wrong, where it failed.
    public var error: WireError?
    /// How it was made, kept as JSON; has `dropped_messages`. Nil where it never started.
    public var receipt: (any Encodable & Sendable)?

    /// Puts an outcome together.
    public init(
        text: String,
        state: MessageState,
        finish: FinishReason,
        usage: Usage? = nil,
        error: WireError? = nil,
        receipt: (any Encodable & Sendable)? = nil
    ) {
        self.text = text
        self.state = state
        self.finish = finish
        self.usage = usage
        self.error = error
        self.receipt = receipt
    }
}

extension Store {
    /// Claims the next answers in fair order: each user's first question before anybody's second,
    /// and in a conversation one answer at a time.
    /// - Parameters:
    ///   - node: who claims.
    ///   - lease: how long a claim holds unless it is renewed.
    ///   - limit: how many at most.
    ///   - models: whose answers the node can make now; the others wait.
    /// - Returns: the answers; none where nothing waits that may start now.
    /// - Throws: `PostgresError`.
    public func claimRuns(
        node: UUID,
        lease: Duration,
        limit: Int,
        models: ModelFilter = .allBut([])
    ) async throws -> [ClaimedRun] {
        let (names, areExceptions) =
            switch models {
            case .only(let names): (names, false)
            case .allBut(let names): (names, true)
            }
        let rows = try await pool.query(
            """
            WITH ranked AS (
                SELECT message_id,
                    row_number() OVER (PARTITION BY user_id ORDER BY position) AS turn,
                    row_number() OVER (PARTITION BY conversation_id ORDER BY position) AS place
                FROM generations
            ), choice AS (
                SELECT g.message_id FROM generations g JOIN ranked r USING (message_id)
                JOIN conversations v ON v.id = g.conversation_id
                WHERE r.place = 1 AND (g.lease_until IS NULL OR g.lease_until < now())
                    AND (v.model = ANY ($5)) <> $6
                ORDER BY r.turn, g.position LIMIT $4
                FOR UPDATE OF g SKIP LOCKED
            ), claimed AS (
                UPDATE generations g
                SET lease_owner = $1, lease_until = now() + $2 * interval '1 second',
                    attempts = attempts + 1
                FROM choice WHERE g.message_id = choice.message_id
                RETURNING g.conversation_id, g.message_id, g.attempts
            )
            UPDATE messages m
            SET state = 'streaming',
                run_id = CASE m.state WHEN 'queued' THEN m.run_id ELSE ($3::uuid[])[c.number] END
            FROM (SELECT *, row_number() OVER () AS number FROM claimed) c
            WHERE m.conversation_id = c.conversation_id AND m.id = c.message_id
            RETURNING m.id, m.conversation_id, m.run_id, c.attempts, m.run_id = ANY ($3)
            """,
            [
                .uuid(node), .double(lease.seconds),
                .uuidArray((0..<limit).map { _ in RunID.make().uuid }), .int64(Int64(limit)),
                .textArray(names), .bool(areExceptions),
            ]
        )
        return try rows.map { row in
            ClaimedRun(
                message: try row.id(0, of: Message.self),
                conversation: try row.id(1, of: Conversation.self),
                run: try row.id(2, of: Run.self),
                attempt: Int(try row.decode(3, as: Int32.self)),
                isRestart: try row.decode(4, as: Bool.self)
            )
        }
    }

    /// Puts off the end of the leases that this node holds.
    /// - Returns: those answers that are still this node's.
    public func renewLeases(
        of messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> Set<MessageID> {
        let rows = try await pool.query(
            """
            UPDATE generations SET lease_until = now() + $3 * interval '1 second'
            WHERE message_id = ANY ($1) AND lease_owner = $2 RETURNING message_id
            """,
            [.uuidArray(messages.map(\.uuid)), .uuid(node), .double(lease.seconds)]
        )
        return Set(try rows.map { try $0.id(0, of: Message.self) })
    }

    /// Gives answers back to the queue, so that another node, or this one's next life, begins them
    /// at once. It was no fault of theirs: the attempt does not count.
    /// - Parameters:
    ///   - node: who holds them.
    ///   - message: which answer; nil for all that the node holds.
    /// - Throws: `PostgresError`.
    public func releaseLeases(node: UUID, of message: MessageID? = nil) async throws {
        _ = try await pool.query(
            """
            UPDATE generations
            SET lease_owner = NULL, lease_until = NULL, attempts = attempts - 1
            WHERE lease_owner = $1 AND ($2::uuid IS NULL OR message_id = $2)
            """,
            [.uuid(node), .optional(message)]
        )
    }

    /// Reads what an answer is made from, anew for each run.
    /// - Parameters:
    ///   - run: which answer.
    ///   - messageLimit: the most messages that a context can hold.
    /// - Returns: the input.
    /// - Throws: `WireError.notFound` where the conversation was deleted.
    public func input(of run: ClaimedRun, messageLimit: Int) async throws -> RunInput {
        let rows = try await pool.query(
            """
            SELECT c.system_prompt, c.model, c.temperature, c.top_p, c.max_tokens, q.id, q.depth
            FROM conversations c
            JOIN messages a ON a.conversation_id = c.id AND a.id = $2
            JOIN messages q ON q.conversation_id = c.id AND q.id = a.parent_id
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(run.conversation), .uuid(run.message)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let branch = try await branch(
            of: run.conversation,
            endingAt: try row.id(5, of: Message.self),
            limit: messageLimit
        )
        return RunInput(
            systemPrompt: try row.decode(0, as: String.self),
            model: try row.decode(1, as: String.self),
            settings: GenerationSettings(
                temperature: try row.decode(2, as: Double?.self),
                topP: try row.decode(3, as: Double?.self),
                maxTokens: try row.decode(4, as: Int32?.self).map(Int.init)
            ),
            branch: branch.map { message in
                PromptMessage(id: message.id, role: message.role.rawValue, text: message.text)
            },
            olderMessageCount: Int(try row.decode(6, as: Int32.self)) - branch.count
        )
    }

    /// Stores how an answer ended, in one transaction with its event and its leaving of the queue.
    /// - Returns: the event; nil where the answer is another run's by now, or has ended.
    public func finish(_ run: ClaimedRun, _ outcome: RunOutcome) async throws -> ServerEvent? {
        try await pool.transaction { transaction in
            try await transaction.end(
                run.message,
                in: run.conversation,
                outcome,
                where: "m.run_id = $9 AND m.state = 'streaming'",
                [.uuid(run.run)]
            )
        }
    }

    /// Ends an answer that still waits. One that an engine has already is left alone.
    /// - Returns: the event; nil where it does not wait.
    public func stopWaiting(
        _ message: MessageID,
        in conversation: ConversationID
    ) async throws -> ServerEvent? {
        try await pool.transaction { transaction in
            // The claim and this statement both lock the row: one of them comes first.
            let waiting = try await transaction.query(
                """
                DELETE FROM generations WHERE message_id = $1
                    AND (lease_until IS NULL OR lease_until < now())
                """,
                [.uuid(message)]
            )
            guard waiting.affectedRowCount == 1 else { return nil }
            let outcome = RunOutcome(text: "", state: .stopped, finish: .stopped)
            return try await transaction.end(
                message,
                in: conversation,
                outcome,
                where: "m.state IN ('queued', 'streaming') AND $9::uuid IS NULL",
                [.null]
            )
        }
    }

    /// The answers that wait, in the order in which they will be made.
    public func waitingPlaces(limit: Int) async throws -> [WaitingPlace] {
        let rows = try await pool.query(
            """
            SELECT conversation_id, message_id, row_number() OVER (ORDER BY turn, position), c.model
            FROM (
                SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY position) AS turn
                FROM generations
            ) ranked
            JOIN conversations c ON c.id = ranked.conversation_id
            WHERE lease_until IS NULL OR lease_until < now()
            ORDER BY turn, position LIMIT $1
            """,
            [.int64(Int64(limit))]
        )
        return try rows.map { row in
            WaitingPlace(
                conversation: try row.id(0, of: Conversation.self),
                message: try row.id(1, of: Message.self),
                position: Int(try row.decode(2, as: Int64.self)),
                model: try row.decode(3, as: String.self)
            )
        }
    }
}

extension PostgresTransaction {
    /// Writes an answer's final state, where it still meets `condition`.
    fileprivate func end(
        _ message: MessageID,
        in conversation: ConversationID,
        _ outcome: RunOutcome,
        where condition: String,
        _ parameters: [PostgresValue]
    ) async throws -> ServerEvent? {
        let lock = try await query(
            "SELECT event_number FROM conversations WHERE id = $1 FOR UPDATE",
            [.uuid(conversation)]
        )
        guard let last = try lock.first?.decode(0, as: Int64.self) else { return nil }
        let rows = try await query(
            """
            WITH m AS (
                UPDATE messages m
                SET body = $3, state = $4, finish = $5, usage = $6, error = $7, receipt = $8,
                    dropped_messages = ($8::jsonb ->> 'dropped_messages')::integer
                WHERE m.conversation_id = $1 AND m.id = $2 AND \(condition)
                RETURNING m.*
            )
            SELECT \(MessageSelection.columns) FROM m \(MessageSelection.author)
            """,
            [
                .uuid(conversation), .uuid(message), .text(outcome.text),
                .text(outcome.state.rawValue), .text(outcome.finish.rawValue),
                .json(outcome.usage), .json(outcome.error),
                outcome.receipt.map { .json($0) } ?? .null,
            ] + parameters
        )
        guard let row = rows.first else { return nil }
        let event = MessageEnded.event(try Message(row: row), n: last + 1)
        _ = try await query("DELETE FROM generations WHERE message_id = $1", [.uuid(message)])
        try await insertEvent(event.name, last + 1, in: conversation, message: message)
        _ = try await query(
            "UPDATE conversations SET event_number = $2, updated_at = now() WHERE id = $1",
            [.uuid(conversation), .int64(last + 1)]
        )
        return event
    }
}
