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
    /// 1 for the first attempt; more where earlier ones ended before they got on with the answer.
    public let attempt: Int
    /// Whether an earlier run of this answer was claimed.
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
                SET lease_owner = $1, lease_until = now() + $2 * interval '1 second'
                FROM choice WHERE g.message_id = choice.message_id
                RETURNING g.conversation_id, g.message_id, g.attempts
            )
            UPDATE messages m
            SET state = 'streaming',
                run_id = CASE m.state WHEN 'queued' THEN m.run_id ELSE ($3::uuid[])[c.number] END
            FROM (SELECT *, row_number() OVER () AS number FROM claimed) c
            WHERE m.conversation_id = c.conversation_id AND m.id = c.message_id
            RETURNING m.id, m.conversation_id, m.run_id, c.attempts + 1, m.run_id = ANY ($3)
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
