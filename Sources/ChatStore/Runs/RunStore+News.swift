// The latest transient event of each run, for subscribers on other nodes: what a run does before it
// has text. The table is unlogged, and rows that were not updated for a minute are deleted.

public import ChatProtocol
public import FoundationEssentials
import Postgres

/// A transient event of a run, for other nodes.
public struct RunNews: Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// The run.
    public let run: RunID
    /// Greater than the numbers of earlier events of this run.
    public let number: Int64
    /// The event that subscribers get.
    public let event: ServerEvent

    /// Creates news.
    public init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        number: Int64,
        event: ServerEvent
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.number = number
        self.event = event
    }
}

/// A run that has started and has not ended.
public struct BegunRun: Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// The run.
    public let run: RunID
}

extension RunStore {
    /// The unfinished runs that a node does not run: those of other nodes, also of crashed ones,
    /// and its own whose leases have expired.
    /// - Parameters:
    ///   - conversations: only runs in these; nil for all conversations.
    ///   - node: the node.
    /// - Returns: the runs; at most one per row of the queue.
    /// - Throws: `PostgresError`.
    public func begun(
        in conversations: [ConversationID]?,
        notOf node: UUID
    ) async throws -> [BegunRun] {
        let condition = conversations == nil ? "" : "AND conversation_id = ANY ($2)"
        var values: [PostgresValue] = [.uuid(node)]
        if let conversations { values.append(.uuidArray(conversations.map(\.uuid))) }
        let rows = try await pool.query(
            """
            SELECT conversation_id, message_id, run_id FROM generations
            WHERE run_id IS NOT NULL
                AND (lease_owner IS DISTINCT FROM $1 OR lease_until < now()) \(condition)
            """,
            values
        )
        return try rows.map { row in
            BegunRun(
                conversation: try row.id("conversation_id", of: Conversation.self),
                message: try row.id("message_id", of: Message.self),
                run: try row.id("run_id", of: RunAttempt.self)
            )
        }
    }

    /// Stores the latest events of runs, in one statement.
    public func storeNews(_ news: [RunNews]) async throws {
        _ = try await pool.query(
            """
            WITH stale AS (DELETE FROM run_news WHERE told_at < now() - interval '1 minute')
            INSERT INTO run_news (message_id, conversation_id, run_id, number, event)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int8[], $5::text[])
            ON CONFLICT (message_id) DO UPDATE
            SET run_id = excluded.run_id, number = excluded.number, event = excluded.event,
                told_at = now()
            """,
            [
                .uuidArray(news.map(\.message.uuid)), .uuidArray(news.map(\.conversation.uuid)),
                .uuidArray(news.map(\.run.uuid)), .int64Array(news.map(\.number)),
                .textArray(
                    news.map { String(decoding: WireEncoding.event($0.event), as: UTF8.self) }
                ),
            ]
        )
    }

    /// The latest events of the runs in some conversations.
    public func news(in conversations: [ConversationID]) async throws -> [RunNews] {
        let rows = try await pool.query(
            """
            SELECT conversation_id, message_id, run_id, number, event FROM run_news
            WHERE conversation_id = ANY ($1)
            """,
            [.uuidArray(conversations.map(\.uuid))]
        )
        return try rows.compactMap { row in
            let text = try row.decode("event", as: String.self)
            // A node of a later version may have stored an event that this version does not know.
            guard
                let event = try? JSONDecoder().decode(ServerEvent.self, from: Data(text.utf8))
            else { return nil }
            return RunNews(
                conversation: try row.id("conversation_id", of: Conversation.self),
                message: try row.id("message_id", of: Message.self),
                run: try row.id("run_id", of: RunAttempt.self),
                number: try row.decode("number", as: Int64.self),
                event: event
            )
        }
    }
}
