// How an answer ends: its final state, its event and the deletion of its queue row in one transaction. The
// locks are taken in one order everywhere: conversation, queue row, message.

public import ChatProtocol
import FoundationEssentials
import Postgres

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
    /// How it was generated, stored as JSON; has `dropped_messages`, and `summarized` where a summary stood
    /// for messages. Nil where it never started.
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
    /// Stores how an answer ended, in one transaction with its event and the deletion of its queue row.
    /// - Returns: the event; nil where another run of the answer has begun by now, or it has ended.
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

    /// Ends an answer that no node has a lease of, with the text that it has.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: where.
    ///   - seen: the UTF-8 byte up to which its reader had got; nil for all.
    /// - Returns: the event; nil where a node has it, or it has ended.
    /// - Throws: `PostgresError`.
    public func stopWaiting(
        _ message: MessageID,
        in conversation: ConversationID,
        seen: Int? = nil
    ) async throws -> ServerEvent? {
        try await end(message, in: conversation, run: nil) { transaction in
            // The claim and this statement both lock the row: one of them comes first.
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

    /// Persists a stop request: whoever runs the answer, now or after a crash, ends it. The first request
    /// counts.
    /// - Parameters:
    ///   - message: the answer.
    ///   - seen: the UTF-8 byte up to which its reader had got; nil for all.
    /// - Returns: whether the answer had not ended yet.
    /// - Throws: `PostgresError`.
    public func requestStop(_ message: MessageID, seen: Int?) async throws -> Bool {
        let result = try await pool.query(
            """
            UPDATE generations
            SET stop_requested_at = coalesce(stop_requested_at, now()),
                stop_seen = CASE WHEN stop_requested_at IS NULL THEN $2 ELSE stop_seen END
            WHERE message_id = $1
            """,
            [.uuid(message), .optional(seen.map { max(0, $0) })]
        )
        return result.affectedRowCount == 1
    }
}

extension Store {
    /// One transaction in which an answer ends, in two round trips: what has to be known, then what is
    /// written, with the commit.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: where.
    ///   - run: the run whose text it ends with; nil where no node has it.
    ///   - ask: sends what locks the answer's queue row, and returns what waits for that: how
    ///     the answer ends, or nil where it does not, or has.
    /// - Returns: the event; nil where the answer did not end here.
    /// - Throws: `PostgresError`.
    private func end(
        _ message: MessageID,
        in conversation: ConversationID,
        run: RunID?,
        _ ask: (StoreTransaction) throws -> () async throws -> RunOutcome?
    ) async throws -> ServerEvent? {
        let written: (rows: StoreTransaction.Sent, n: Int64)?
        written = try await pool.transaction { transaction in
            let lock = try transaction.send(
                "SELECT event_number FROM conversations WHERE id = $1 FOR UPDATE",
                [.uuid(conversation)]
            )
            let outcome = try ask(transaction)
            guard let row = try await lock.rows().first, let outcome = try await outcome() else {
                return nil
            }
            let n = try row.decode("event_number", as: Int64.self) + 1
            return (
                try transaction.end(message, in: conversation, outcome, run: run, n: n), n
            )
        }
        guard let written, let row = try await written.rows.rows().first else { return nil }
        // What no node has ends with text whose run its readers may not know.
        return MessageEnded.event(try Message(row: row), n: written.n, repeatsText: run == nil)
    }
}

extension StoreTransaction {
    /// Asks for the text of an unfinished answer, as far as it is stored.
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

    /// Writes an unfinished answer's final state and its event. The conversation and the answer's queue row
    /// must be locked: an answer that has such a row has not ended.
    /// - Returns: the statement whose row is the message as it ended.
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
                    run_id = coalesce($9, m.run_id)
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
            ]
        )
        try insertEvent(
            MessageEnded.name(of: outcome.state),
            n,
            in: conversation,
            message: message
        )
        // Its checkpoint goes with it. The conversation notes which node has it in memory, and how long its
        // prompt is now.
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
