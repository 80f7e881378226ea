// Checkpoints: the text of running answers, stored a few times a second in parts, read by a run that resumes one
// whose node died, and by readers on other nodes.
//
// The parts of an answer all belong to the run that was begun last, so that two runs are never mixed: a run that
// begins takes the parts of the one before, and from then on that one can add nothing.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// A part of a running answer's text.
public struct AnswerPart: Sendable, Hashable {
    /// Where.
    public var conversation: ConversationID
    /// The answer.
    public var message: MessageID
    /// The run that generates it.
    public var run: RunID
    /// Where the text begins, in UTF-8 bytes of the answer.
    public var at: Int
    /// The text.
    public var text: String
    /// The tokens that were sampled since the part before. Not read by `answerParts`.
    public var tokens: [Int32]

    /// Puts a part together.
    public init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        at: Int,
        text: String,
        tokens: [Int32] = []
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.at = at
        self.text = text
        self.tokens = tokens
    }

    /// Where the text ends, and the next part begins.
    public var end: Int { at + text.utf8.count }
}

/// A running answer, as far as it is stored.
public struct StoredAnswer: Sendable {
    /// The answer.
    public let message: MessageID
    /// The run that was begun last.
    public let run: RunID
    /// Up to which byte a reader's text is right whichever run of the answer it is of: what a reader
    /// has beyond may be an earlier run's, and void. Nil where there was no earlier run.
    public let base: Int?
    /// The bytes of the text that the answer began with, before any run.
    public let bodyCount: Int
    /// All of the text.
    public let text: String
    /// The number of the event that created the answer.
    public let createdN: Int64

    /// The text for a reader that has `count` bytes, of this run or an earlier one: it makes the
    /// reader's first `at` bytes whole.
    func rest(after count: Int) -> GrowingAnswer {
        let kept = text.prefix(utf8Count: min(count, base ?? .max))
        return GrowingAnswer(
            message: message,
            run: run,
            at: kept.utf8.count,
            to: text.utf8.count,
            text: String(decoding: text.utf8.dropFirst(kept.utf8.count), as: UTF8.self)
        )
    }
}

/// What a run that begins finds of the attempts before it.
public struct RunStart: Sendable {
    /// Attempts since the answer last got a checkpoint with text, this one included.
    public let attempts: Int
    /// All attempts, this one included.
    public let tries: Int
    /// Whether an earlier run was begun, so that readers may have text of it.
    public let isTakeover: Bool
    /// A stop request that is still open.
    public let stop: StopRequest?
    /// The text that the answer began with, before any run.
    public let body: String
    /// What earlier runs added to it.
    public let text: String
    /// The tokens that led to `text`.
    public let tokens: [Int32]
    /// The model that sampled them; nil where there are none.
    public let engine: String?
    /// Up to which byte a reader's text is right whichever run of the answer it is of; nil where
    /// there was no earlier run.
    public let base: Int?
}

extension Store {
    /// Counts an attempt of an answer, and gives it what the attempts before it left. From here on no
    /// earlier run can add to the text.
    /// - Parameters:
    ///   - run: the run that begins.
    ///   - node: who has it.
    /// - Returns: nil where the answer is not the node's any more.
    /// - Throws: `PostgresError`.
    public func begin(_ run: ClaimedRun, node: UUID) async throws -> RunStart? {
        if !run.isRestart, let start = try await beginFirst(run, node: node) { return start }
        return try await takeOver(run, node: node)
    }

    /// Counts the first attempt of an answer, which no run has begun before.
    /// - Returns: nil where one has, or the answer is not the node's any more.
    private func beginFirst(_ run: ClaimedRun, node: UUID) async throws -> RunStart? {
        let rows = try await pool.query(
            """
            UPDATE generations g SET attempts = attempts + 1, tries = tries + 1, run_id = $2
            FROM messages m
            WHERE g.message_id = $1 AND g.lease_owner = $3 AND g.run_id IS NULL
                AND m.conversation_id = g.conversation_id AND m.id = g.message_id
            RETURNING g.message_id, g.stop_requested_at IS NOT NULL AS is_stopped, g.stop_seen,
                g.attempts, g.tries, m.body
            """,
            [.uuid(run.message), .uuid(run.run), .uuid(node)]
        )
        guard let row = rows.first else { return nil }
        return RunStart(
            attempts: Int(try row.decode("attempts", as: Int32.self)),
            tries: Int(try row.decode("tries", as: Int32.self)),
            isTakeover: false,
            stop: try HeldRuns(rows: rows).stops[run.message],
            body: try row.decode("body", as: String.self),
            text: "",
            tokens: [],
            engine: nil,
            base: nil
        )
    }

    /// Counts another attempt of an answer, and gives it what the attempts before it left.
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
                engine: try figures.decode("engine", as: String?.self),
                base: try figures.decode("base", as: Int32?.self).map(Int.init)
            )
        }
    }

    /// Forgets what earlier runs wrote: the run begins at byte `base`.
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

    /// Stores checkpoints of all answers that a node runs, in one statement. A part that is stored already
    /// is left as it is. An answer's first part shows that the engine gets on with it: attempts count from 0
    /// again.
    /// - Parameters:
    ///   - parts: in the order of the text, each answer's from where its checkpoint ends.
    ///   - engines: for each answer, the model that samples its tokens.
    ///   - node: who has them.
    /// - Returns: those answers that are still the node's. Of the others nothing is stored.
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
                        $6::text[], $7::bytea[], $8::text[])
                        AS p (message_id, conversation_id, run_id, at, text, tokens, engine)
                ), held AS MATERIALIZED (
                    SELECT g.message_id, g.attempts, g.stop_requested_at, g.stop_seen
                    FROM generations g
                    WHERE g.lease_owner = $1 AND (g.message_id, g.run_id) IN
                        (SELECT p.message_id, p.run_id FROM part p)
                    ORDER BY g.message_id FOR SHARE
                ), kept AS (
                    INSERT INTO answer_parts
                        (message_id, conversation_id, run_id, at, text, tokens)
                    SELECT p.message_id, p.conversation_id, p.run_id, p.at, p.text, p.tokens
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
                ]
            )
        )
    }

    /// What has been added to running answers, in one query for all.
    /// - Parameter positions: for each run, the byte at which what is known ends. It must be the end
    ///   of a part, or the beginning of the answer.
    /// - Returns: the parts after those, in the order of the text, without tokens. None of a run that
    ///   was taken over, or whose answer has ended.
    /// - Throws: `PostgresError`.
    public func answerParts(after positions: [RunID: Int]) async throws -> [AnswerPart] {
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

    /// The running answers of a conversation, as far as they are stored.
    /// - Throws: `PostgresError`.
    public func storedAnswers(in conversation: ConversationID) async throws -> [StoredAnswer] {
        let rows = try await pool.query(
            """
            SELECT g.message_id, g.run_id, g.base, octet_length(m.body) AS body_count,
                m.body || coalesce(string_agg(p.text, '' ORDER BY p.at), '') AS text, m.created_n
            FROM generations g
            JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
            LEFT JOIN answer_parts p ON p.run_id = g.run_id
            WHERE g.conversation_id = $1 AND g.run_id IS NOT NULL
            GROUP BY g.message_id, m.body, m.created_n
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
                createdN: try row.decode("created_n", as: Int64.self)
            )
        }
    }
}

extension StoreTransaction {
    /// Gives a run the parts of the one before it.
    fileprivate func takeParts(
        of earlier: RunID?,
        to run: RunID
    ) async throws -> [(at: Int32, text: String, tokens: [Int32])] {
        guard let earlier else { return [] }
        let rows = try await query(
            "UPDATE answer_parts SET run_id = $2 WHERE run_id = $1 RETURNING at, text, tokens",
            [.uuid(earlier), .uuid(run)]
        )
        return try rows.map { row in
            (
                at: try row.decode("at", as: Int32.self),
                text: try row.decode("text", as: String.self),
                tokens: TokenBytes.tokens(of: try row.decode("tokens", as: [UInt8].self))
            )
        }.sorted { $0.at < $1.at }
    }
}

/// Tokens as little-endian 32-bit numbers, one after the other.
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
