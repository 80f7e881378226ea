// Checkpoints: the text of running answers, stored in parts a few times a second. A run that takes
// over from a crashed node reads them, and so do nodes with subscribers.
//
// All parts of an answer belong to its latest run, so texts of two runs are never mixed: a run that
// starts takes over the parts of the one before, which can add no more parts from then on.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// A part of a running answer's text.
public struct AnswerPart: Sendable, Hashable {
    /// The conversation.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The run that generates it.
    public var run: RunID
    /// The offset of the text in the answer, in UTF-8 bytes.
    public var at: Int
    /// The text.
    public var text: String
    /// The tokens sampled since the previous part. Not read by `parts(after:)`.
    public var tokens: [Int32]
    /// The tokens with their probabilities, if the request wants them. Not read either.
    public var answerTokens: [AnswerToken]

    /// Creates a part.
    public init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        at: Int,
        text: String,
        tokens: [Int32] = [],
        answerTokens: [AnswerToken] = []
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.at = at
        self.text = text
        self.tokens = tokens
        self.answerTokens = answerTokens
    }

    /// The offset of the end of the text, where the next part begins.
    public var end: Int { at + text.utf8.count }
}

/// The stored state of a running answer.
public struct StoredAnswer: Sendable {
    /// The answer.
    public let message: MessageID
    /// The latest run.
    public let run: RunID
    /// The UTF-8 bytes that all runs of the answer have in common: a subscriber's text after them
    /// may be an earlier run's, and invalid. Nil if there was no earlier run.
    public let base: Int?
    /// The bytes of the text that the answer began with, before any run.
    public let bodyCount: Int
    /// All of the text.
    public let text: String
    /// The number of the event that created the answer.
    public let createdN: Int64
    /// The number of the conversation's last event when this was read: no event up to it ended the
    /// answer.
    public let asOf: Int64

    /// The rest of the text for a subscriber that has `count` bytes, of this run or an earlier one.
    /// It replaces what the subscriber has after the first `at` bytes.
    func rest(after count: Int) -> GrowingAnswer {
        let common = text.prefix(utf8Count: min(count, base ?? .max))
        return GrowingAnswer(
            message: message,
            run: run,
            at: common.utf8.count,
            to: text.utf8.count,
            text: String(decoding: text.utf8.dropFirst(common.utf8.count), as: UTF8.self)
        )
    }
}

/// What earlier attempts have left to a run that starts.
public struct RunStart: Sendable {
    /// Attempts since the last checkpoint with text, including this one.
    public let attempts: Int
    /// All attempts, including this one.
    public let tries: Int
    /// Whether an earlier run has started, so that subscribers may have text of it.
    public let isTakeover: Bool
    /// A pending stop request.
    public let stop: StopRequest?
    /// The text that the answer began with, before any run.
    public let body: String
    /// The text that earlier runs added.
    public let text: String
    /// The tokens of `text`.
    public let tokens: [Int32]
    /// The tokens with their probabilities, if the request wants them.
    public let answerTokens: [AnswerToken]
    /// The model that sampled them; nil if there are none.
    public let engine: String?
    /// The UTF-8 bytes that all runs of the answer have in common; nil if there was no earlier run.
    public let base: Int?
}

extension RunStart {
    /// The start of an answer's first run.
    init(firstWith body: String, stop: StopRequest?) {
        self.init(
            attempts: 1,
            tries: 1,
            isTakeover: false,
            stop: stop,
            body: body,
            text: "",
            tokens: [],
            answerTokens: [],
            engine: nil,
            base: nil
        )
    }
}

/// Runs: how they begin, their checkpoints, their end, and their latest events.
public struct RunStore {
    let pool: StorePool

    /// Starts a run: counts an attempt, unless its claim has counted it, and reads what earlier
    /// attempts have left. From then on, no earlier run can add to the text.
    /// - Parameters:
    ///   - run: the run.
    ///   - node: the node that runs it.
    /// - Returns: nil if the node no longer holds the answer's lease.
    /// - Throws: `PostgresError`.
    public func begin(_ run: ClaimedRun, node: UUID) async throws -> RunStart? {
        if let start = run.start { return start }
        return try await takeOver(run, node: node)
    }

    /// Starts another run of an answer, with the text of the earlier ones.
    private func takeOver(_ run: ClaimedRun, node: UUID) async throws -> RunStart? {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT g.run_id, m.body FROM generations g
                JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
                WHERE g.message_id = $1 AND g.lease_owner = $2 FOR UPDATE OF g
                """,
                [.uuid(run.message), .uuid(node)]
            )
            guard let row = rows.first else { return nil }
            let earlier = try row.optionalID("run_id", of: RunAttempt.self)
            let body = try row.decode("body", as: String.self)
            let parts = try await transaction.takeParts(of: earlier, to: run.run)
            let text = parts.map(\.text).joined()
            let counted = try await transaction.query(
                """
                UPDATE generations SET attempts = attempts + 1, tries = tries + 1, run_id = $2,
                    base = CASE WHEN run_id IS NULL THEN NULL ELSE least(base, $3::integer) END
                WHERE message_id = $1
                RETURNING message_id, stop_requested_at IS NOT NULL AS is_stopped, stop_seen,
                    attempts, tries, engine, base
                """,
                [.uuid(run.message), .uuid(run.run), .optional(body.utf8.count + text.utf8.count)]
            )
            guard let figures = counted.first else { return nil }
            return RunStart(
                attempts: Int(try figures.decode("attempts", as: Int32.self)),
                tries: Int(try figures.decode("tries", as: Int32.self)),
                isTakeover: earlier != nil,
                stop: try HeldRuns(rows: counted).stops[run.message],
                body: body,
                text: text,
                tokens: parts.flatMap(\.tokens),
                answerTokens: parts.flatMap(\.answerTokens),
                engine: try figures.decode("engine", as: String?.self),
                base: try figures.decode("base", as: Int32?.self).map(Int.init)
            )
        }
    }

    /// Deletes the text of earlier runs: the run starts at byte `base`.
    /// - Throws: `PostgresError`.
    public func beginAnew(_ run: ClaimedRun, at base: Int) async throws {
        _ = try await pool.query(
            """
            WITH forgotten AS (DELETE FROM answer_parts WHERE run_id = $1)
            UPDATE generations SET base = least(base, $2) WHERE message_id = $3 AND run_id = $1
            """,
            [.uuid(run.run), .optional(base), .uuid(run.message)]
        )
    }

    /// Stores checkpoints of all answers that a node runs, in one statement. A part that is already
    /// stored is not changed. A part shows that the engine makes progress, so it resets the
    /// answer's count of attempts.
    /// - Parameters:
    ///   - parts: the parts, in the order of the text; each answer's first one begins at the end of
    ///     its checkpoint.
    ///   - engines: the model that samples the tokens, by answer.
    ///   - node: the node.
    /// - Returns: the answers whose leases the node still holds. For others, nothing is stored.
    /// - Throws: `PostgresError`.
    public func storeCheckpoints(
        _ parts: [AnswerPart],
        engines: [MessageID: String],
        node: UUID
    ) async throws -> HeldRuns {
        try HeldRuns(
            rows: await pool.query(
                """
                WITH part AS MATERIALIZED (
                    SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int8[],
                        $6::text[], $7::bytea[], $8::text[], $9::text[]) AS p (message_id,
                        conversation_id, run_id, at, text, tokens, engine, logprobs)
                ), held AS MATERIALIZED (
                    SELECT g.message_id, g.attempts, g.stop_requested_at, g.stop_seen
                    FROM generations g
                    WHERE g.lease_owner = $1 AND (g.message_id, g.run_id) IN
                        (SELECT p.message_id, p.run_id FROM part p)
                    ORDER BY g.message_id FOR SHARE
                ), kept AS (
                    INSERT INTO answer_parts
                        (message_id, conversation_id, run_id, at, text, tokens, logprobs)
                    SELECT p.message_id, p.conversation_id, p.run_id, p.at, p.text, p.tokens,
                        nullif(p.logprobs, '')::jsonb
                    FROM part p JOIN held USING (message_id)
                    ON CONFLICT DO NOTHING
                ), progress AS (
                    UPDATE generations g SET attempts = 0, engine = p.engine
                    FROM held h JOIN part p USING (message_id)
                    WHERE g.message_id = h.message_id AND h.attempts > 0
                )
                SELECT message_id, stop_requested_at IS NOT NULL AS is_stopped, stop_seen FROM held
                """,
                [
                    .uuid(node), .uuidArray(parts.map(\.message.uuid)),
                    .uuidArray(parts.map(\.conversation.uuid)), .uuidArray(parts.map(\.run.uuid)),
                    .int64Array(parts.map { Int64($0.at) }), .textArray(parts.map(\.text)),
                    .bytesArray(parts.map { TokenBytes.bytes(of: $0.tokens) }),
                    .textArray(parts.map { engines[$0.message] ?? "" }),
                    .textArray(parts.map { AnswerToken.text(of: $0.answerTokens) }),
                ]
            )
        )
    }

    /// The new parts of running answers, in one query.
    /// - Parameter positions: for each run, the known length of its text in bytes. It must be the
    ///   end of a part, or the beginning of the answer.
    /// - Returns: the parts after these positions, in the order of the text, without tokens; none
    ///   for a run that was taken over, or whose answer has ended.
    /// - Throws: `PostgresError`.
    public func parts(after positions: [RunID: Int]) async throws -> [AnswerPart] {
        let known = Array(positions)
        let rows = try await pool.query(
            """
            SELECT p.conversation_id, p.message_id, p.run_id, p.at, p.text
            FROM unnest($1::uuid[], $2::int8[]) AS known (run_id, at)
            JOIN answer_parts p ON p.run_id = known.run_id AND p.at >= known.at
            ORDER BY p.run_id, p.at
            """,
            [.uuidArray(known.map(\.key.uuid)), .int64Array(known.map { Int64($0.value) })]
        )
        return try rows.map { row in
            AnswerPart(
                conversation: try row.id("conversation_id", of: Conversation.self),
                message: try row.id("message_id", of: Message.self),
                run: try row.id("run_id", of: RunAttempt.self),
                at: Int(try row.decode("at", as: Int32.self)),
                text: try row.decode("text", as: String.self)
            )
        }
    }

    /// The stored state of the running answers of a conversation.
    /// - Throws: `PostgresError`.
    public func storedAnswers(in conversation: ConversationID) async throws -> [StoredAnswer] {
        let rows = try await pool.query(
            """
            SELECT g.message_id, g.run_id, g.base, octet_length(m.body) AS body_count,
                m.body || coalesce(string_agg(p.text, '' ORDER BY p.at), '') AS text, m.created_n,
                c.event_number
            FROM generations g
            JOIN conversations c ON c.id = g.conversation_id
            JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
            LEFT JOIN answer_parts p ON p.run_id = g.run_id
            WHERE g.conversation_id = $1 AND g.run_id IS NOT NULL
            GROUP BY g.message_id, m.body, m.created_n, c.event_number
            """,
            [.uuid(conversation)]
        )
        return try rows.map { row in
            StoredAnswer(
                message: try row.id("message_id", of: Message.self),
                run: try row.id("run_id", of: RunAttempt.self),
                base: try row.decode("base", as: Int32?.self).map(Int.init),
                bodyCount: Int(try row.decode("body_count", as: Int32.self)),
                text: try row.decode("text", as: String.self),
                createdN: try row.decode("created_n", as: Int64.self),
                asOf: try row.decode("event_number", as: Int64.self)
            )
        }
    }
}

extension StoreTransaction {
    /// Moves the parts of an earlier run to a new one.
    fileprivate func takeParts(
        of earlier: RunID?,
        to run: RunID
    ) async throws -> [TakenPart] {
        guard let earlier else { return [] }
        let rows = try await query(
            """
            UPDATE answer_parts SET run_id = $2 WHERE run_id = $1
            RETURNING at, text, tokens, logprobs::text AS logprobs
            """,
            [.uuid(earlier), .uuid(run)]
        )
        return try rows.map { row in
            TakenPart(
                at: try row.decode("at", as: Int32.self),
                text: try row.decode("text", as: String.self),
                tokens: TokenBytes.tokens(of: try row.decode("tokens", as: [UInt8].self)),
                answerTokens: try row.json("logprobs", as: [AnswerToken].self) ?? []
            )
        }.sorted { $0.at < $1.at }
    }
}

/// A part of an earlier run.
private struct TakenPart {
    let at: Int32
    let text: String
    let tokens: [Int32]
    let answerTokens: [AnswerToken]
}

/// The stored form of tokens: little-endian 32-bit numbers.
enum TokenBytes {
    static func bytes(of tokens: [Int32]) -> [UInt8] {
        tokens.flatMap { token in
            withUnsafeBytes(of: token.littleEndian) { Array($0) }
        }
    }

    static func tokens(of bytes: [UInt8]) -> [Int32] {
        stride(from: 0, to: bytes.count / 4 * 4, by: 4).map { start in
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * $1) }
            return Int32(bitPattern: bits)
        }
    }
}
