// Ends answers: stores the final state and its event, and deletes the queue row, in one
// transaction. Locks are always taken in one order: conversation, queue row, message.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// How an answer ended.
public struct RunOutcome: Sendable {
    /// The whole text.
    public var text: String
    /// `complete`, `stopped` or `failed`.
    public var state: MessageState
    /// Why it ended.
    public var finish: FinishReason
    /// The tokens used; nil if it never started.
    public var usage: Usage?
    /// The error, if it failed.
    public var error: WireError?
    /// The receipt, stored as JSON; has `dropped_messages`, and `summarized` if a summary replaced
    /// messages. Nil if it never started.
    public var receipt: (any Encodable & Sendable)?
    /// The tokens of the text with their probabilities, if the request wants them.
    public var answerTokens: [AnswerToken]

    /// Creates an outcome.
    public init(
        text: String,
        state: MessageState,
        finish: FinishReason,
        usage: Usage? = nil,
        error: WireError? = nil,
        receipt: (any Encodable & Sendable)? = nil,
        answerTokens: [AnswerToken] = []
    ) {
        self.text = text
        self.state = state
        self.finish = finish
        self.usage = usage
        self.error = error
        self.receipt = receipt
        self.answerTokens = answerTokens
    }
}

extension RunStore {
    /// Ends an answer with the outcome of a run.
    /// - Returns: the event; nil if another run of the answer has started, or the answer has ended.
    public func finish(_ run: ClaimedRun, _ outcome: RunOutcome) async throws -> ServerEvent? {
        try await end(run.message, in: run.conversation, run: run.run) { transaction in
            let mine = try transaction.send(
                """
                SELECT m.state FROM generations g
                JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
                WHERE g.message_id = $1 AND $2 IN (g.run_id, m.run_id)
                FOR UPDATE OF g
                """,
                [.uuid(run.message), .uuid(run.run)]
            )
            return { try await mine.rows().isEmpty ? nil : outcome }
        }
    }

    /// Ends an answer that no node runs, with its stored text.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: its conversation.
    ///   - seen: the UTF-8 bytes of the text that the user has received; nil for all.
    /// - Returns: the event; nil if a node runs the answer, or it has ended.
    /// - Throws: `PostgresError`.
    public func stopWaiting(
        _ message: MessageID,
        in conversation: ConversationID,
        seen: Int? = nil
    ) async throws -> ServerEvent? {
        try await end(message, in: conversation, run: nil) { transaction in
            // A claim locks this row, too: one of the two waits for the other.
            let waiting = try transaction.send(
                """
                SELECT 1 FROM generations WHERE message_id = $1
                    AND (lease_until IS NULL OR lease_until < now())
                FOR UPDATE
                """,
                [.uuid(message)]
            )
            let stored = try transaction.sendStoredText(of: message, in: conversation)
            return {
                guard try await !waiting.rows().isEmpty else { return nil }
                let text = try await stored.rows().first?.decode(as: String.self) ?? ""
                return RunOutcome(
                    text: seen.map { text.prefix(utf8Count: $0) } ?? text,
                    state: .stopped,
                    finish: .stopped
                )
            }
        }
    }

    /// Ends an answer in one transaction with two round trips: one for all reads, one for all
    /// writes and the commit.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: its conversation.
    ///   - run: the run that generated the text; nil if no node runs the answer.
    ///   - sendLock: sends the statement that locks the queue row, and returns a function that
    ///     waits for it and returns the outcome; nil if the answer must not end here, or has ended.
    /// - Returns: the event; nil if the answer did not end here.
    /// - Throws: `PostgresError`.
    private func end(
        _ message: MessageID,
        in conversation: ConversationID,
        run: RunID?,
        _ sendLock: (StoreTransaction) throws -> () async throws -> RunOutcome?
    ) async throws -> ServerEvent? {
        let written: (rows: StoreTransaction.Sent, n: Int64)?
        written = try await pool.transaction { transaction in
            let lock = try transaction.send(
                "SELECT event_number FROM conversations WHERE id = $1 FOR UPDATE",
                [.uuid(conversation)]
            )
            let outcome = try sendLock(transaction)
            guard let row = try await lock.rows().first, let outcome = try await outcome() else {
                return nil
            }
            let n = try row.decode("event_number", as: Int64.self) + 1
            return (
                try transaction.end(message, in: conversation, outcome, run: run, n: n), n
            )
        }
        guard let written, let row = try await written.rows.rows().first else { return nil }
        // Subscribers may not have the stored text of an answer that no node runs.
        return MessageEnded.event(try Message(row: row), n: written.n, repeatsText: run == nil)
    }
}

extension StoreTransaction {
    /// Requests the stored text of an unfinished answer, without waiting for it.
    fileprivate func sendStoredText(
        of message: MessageID,
        in conversation: ConversationID
    ) throws -> Sent {
        try send(
            """
            SELECT m.body || coalesce(string_agg(p.text, '' ORDER BY p.at), '')
            FROM messages m
            LEFT JOIN generations g ON g.message_id = m.id
            LEFT JOIN answer_parts p ON p.run_id = g.run_id
            WHERE m.conversation_id = $1 AND m.id = $2
            GROUP BY m.body
            """,
            [.uuid(conversation), .uuid(message)]
        )
    }

    /// Writes an unfinished answer's final state and its event. The conversation and the answer's
    /// queue row must be locked: an answer with a queue row has not ended.
    /// - Returns: the statement whose row is the message in its final state.
    fileprivate func end(
        _ message: MessageID,
        in conversation: ConversationID,
        _ outcome: RunOutcome,
        run: RunID?,
        n: Int64
    ) throws -> Sent {
        let ended = try send(
            """
            WITH m AS (
                UPDATE messages m
                SET body = $3, state = $4, finish = $5, usage = $6, error = $7, receipt = $8,
                    dropped_messages = ($8::jsonb ->> 'dropped_messages')::integer,
                    summarized_messages = ($8::jsonb #>> '{summarized,count}')::integer,
                    run_id = coalesce($9, m.run_id), logprobs = $10
                WHERE m.conversation_id = $1 AND m.id = $2
                RETURNING m.*
            )
            SELECT \(MessageSelection.columns) FROM m \(MessageSelection.author)
            """,
            [
                .uuid(conversation), .uuid(message), .text(outcome.text),
                .text(outcome.state.rawValue), .text(outcome.finish.rawValue),
                .json(outcome.usage), .json(outcome.error),
                outcome.receipt.map { .json($0) } ?? .null, .optional(run),
                .json(outcome.answerTokens.isEmpty ? nil : outcome.answerTokens),
            ]
        )
        try insertEvent(
            MessageEnded.name(of: outcome.state),
            n,
            in: conversation,
            message: message
        )
        // The checkpoints are deleted with the queue row. The conversation stores which node has
        // its KV cache, and the length of its context.
        try send(
            """
            WITH left_queue AS (
                DELETE FROM generations WHERE message_id = $3 RETURNING lease_owner
            )
            UPDATE conversations SET event_number = $2, updated_at = now(),
                context_tokens = coalesce($4, context_tokens),
                warm_node = coalesce((SELECT lease_owner FROM left_queue), warm_node)
            WHERE id = $1
            """,
            [
                .uuid(conversation), .int64(n), .uuid(message),
                .optional(outcome.usage.map { $0.promptTokens + $0.completionTokens }),
            ]
        )
        try tellLists(of: conversation, .answered)
        return ended
    }
}
