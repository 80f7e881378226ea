// How an answer ends: its final state, its event and its leaving of the queue in one transaction. The
// locks are taken in one order everywhere: conversation, row of the queue, message.

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
    /// How it was made, kept as JSON; has `dropped_messages`, and `summarized` where a summary stood
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
    /// Stores how an answer ended, in one transaction with its event and its leaving of the queue.
    /// - Returns: the event; nil where another run of the answer has begun by now, or it has ended.
    public func finish(_ run: ClaimedRun, _ outcome: RunOutcome) async throws -> ServerEvent? {
        try await pool.transaction { transaction in
            guard let last = try await transaction.lockForEnd(run.conversation) else { return nil }
            let rows = try await transaction.query(
                """
                SELECT 1 FROM generations g
                JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
                WHERE g.message_id = $1 AND $2 IN (g.run_id, m.run_id)
                FOR UPDATE OF g
                """,
                [.uuid(run.message), .uuid(run.run)]
            )
            guard !rows.isEmpty else { return nil }
            return try await transaction.end(
                run.message,
                in: run.conversation,
                outcome,
                run: run.run,
                after: last
            )
        }
    }

    /// Ends an answer that nobody makes at the moment, with the text that it has. One that an engine
    /// has already is left alone.
    /// - Parameters:
    ///   - message: the answer.
    ///   - conversation: where.
    ///   - seen: the UTF-8 byte up to which its reader had got; nil for all.
    /// - Returns: the event; nil where somebody makes it, or it has ended.
    /// - Throws: `PostgresError`.
    public func stopWaiting(
        _ message: MessageID,
        in conversation: ConversationID,
        seen: Int? = nil
    ) async throws -> ServerEvent? {
        try await pool.transaction { transaction in
            guard let last = try await transaction.lockForEnd(conversation) else { return nil }
            // The claim and this statement both lock the row: one of them comes first.
            let waiting = try await transaction.query(
                """
                SELECT 1 FROM generations WHERE message_id = $1
                    AND (lease_until IS NULL OR lease_until < now())
                FOR UPDATE
                """,
                [.uuid(message)]
            )
            guard !waiting.isEmpty else { return nil }
            let text = try await transaction.storedText(of: message, in: conversation)
            return try await transaction.end(
                message,
                in: conversation,
                RunOutcome(
                    text: seen.map { text.prefix(utf8Count: $0) } ?? text,
                    state: .stopped,
                    finish: .stopped
                ),
                run: nil,
                after: last
            )
        }
    }

    /// Keeps the wish that an answer ends: whoever makes it, now or after a crash, ends it. The first
    /// wish counts.
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

extension PostgresTransaction {
    /// Locks a conversation.
    /// - Returns: the number of its last event; nil where it does not exist.
    fileprivate func lockForEnd(_ conversation: ConversationID) async throws -> Int64? {
        let lock = try await query(
            "SELECT event_number FROM conversations WHERE id = $1 FOR UPDATE",
            [.uuid(conversation)]
        )
        return try lock.first?.decode(0, as: Int64.self)
    }

    /// The text of an unfinished answer, as far as it is stored.
    fileprivate func storedText(
        of message: MessageID,
        in conversation: ConversationID
    ) async throws -> String {
        let rows = try await query(
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
        return try rows.first?.decode(0, as: String.self) ?? ""
    }

    /// Writes an unfinished answer's final state and its event. The conversation and the answer's row
    /// of the queue must be locked.
    fileprivate func end(
        _ message: MessageID,
        in conversation: ConversationID,
        _ outcome: RunOutcome,
        run: RunID?,
        after last: Int64
    ) async throws -> ServerEvent? {
        let rows = try await query(
            """
            WITH m AS (
                UPDATE messages m
                SET body = $3, state = $4, finish = $5, usage = $6, error = $7, receipt = $8,
                    dropped_messages = ($8::jsonb ->> 'dropped_messages')::integer,
                    summarized_messages = ($8::jsonb #>> '{summarized,count}')::integer,
                    run_id = coalesce($9, m.run_id)
                WHERE m.conversation_id = $1 AND m.id = $2 AND m.state IN ('queued', 'streaming')
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
        guard let row = rows.first else { return nil }
        // What nobody makes ends with text whose run its readers may not know.
        let event = MessageEnded.event(try Message(row: row), n: last + 1, repeatsText: run == nil)
        try await insertEvent(event.name, last + 1, in: conversation, message: message)
        // Its parts go with it. The conversation keeps who made it, and how long its prompt is now.
        _ = try await query(
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
                .uuid(conversation), .int64(last + 1), .uuid(message),
                .optional(outcome.usage.map { $0.promptTokens + $0.completionTokens }),
            ]
        )
        try tellLists(of: conversation, .answered)
        return event
    }
}
