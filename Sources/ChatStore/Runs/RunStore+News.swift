// What runs are doing before they have text, for subscribers on other nodes: of each run its last event. Of use
// for the moment only, so the table is unlogged, and rows that nobody renewed are deleted after a minute.

public import ChatProtocol
public import FoundationEssentials
import Postgres

/// A fleeting event of a run, as other nodes read it.
public struct RunNews: Sendable {
    /// Where.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// The run.
    public let run: RunID
    /// Greater than that of the same run's news before.
    public let number: Int64
    /// What its subscribers get.
    public let event: ServerEvent

    /// Puts news together.
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

/// A run that was begun and has not ended.
public struct BegunRun: Sendable {
    /// Where.
    public let conversation: ConversationID
    /// The answer.
    public let message: MessageID
    /// The run.
    public let run: RunID
}

extension Store {
    /// The runs that other nodes have, or had until they died; and those that a node had until its lease
    /// expired.
    /// - Parameters:
    ///   - conversations: where; nil for everywhere.
    ///   - node: the node.
    /// - Returns: the runs; never more than the queue is long.
    /// - Throws: `PostgresError`.
    public func runs(
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

    /// Stores the last event of some runs, in one statement.
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

    /// The last events of the runs in some conversations.
    public func runNews(in conversations: [ConversationID]) async throws -> [RunNews] {
        let rows = try await pool.query(
            """
            SELECT conversation_id, message_id, run_id, number, event FROM run_news
            WHERE conversation_id = ANY ($1)
            """,
            [.uuidArray(conversations.map(\.uuid))]
        )
        return try rows.compactMap { row in
            let text = try row.decode("event", as: String.self)
            // A later version may know events that this one does not.
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
