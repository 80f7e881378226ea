// All queued and running answers, for administrators, and stop requests by administrators.

public import ChatCore
public import ChatProtocol
import Postgres

/// A position in the list of all unfinished runs.
public struct RunCursor: Sendable, Hashable {
    let priority: Int16
    let position: Int64

    /// Reads the text form.
    /// - Throws: `WireError.badRequest` if the text is invalid.
    public init(_ text: String) throws(WireError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let priority = Int16(parts[0]), let position = Int64(parts[1])
        else { throw WireError(.badRequest, "invalid cursor: list again without one") }
        self.priority = priority
        self.position = position
    }

    fileprivate init(priority: Int16, position: Int64) {
        self.priority = priority
        self.position = position
    }

    /// The text form.
    public var text: String { "\(priority).\(position)" }
}

/// A queued or running answer of any user.
public struct UnfinishedRun: Sendable {
    /// The answer as administrators see it; without its queue position.
    public var run: ServerRun
    /// Its priority.
    public let priority: QueuePriority
    /// The cursor of the rest of the list.
    public let cursor: RunCursor
}

extension QueueStore {
    /// The queued and running answers of all users, by priority, then queue position.
    /// - Parameters:
    ///   - cursor: the end of the previous page; nil for the first page.
    ///   - limit: maximum answers.
    /// - Returns: the page.
    /// - Throws: `PostgresError`.
    public func unfinishedRuns(
        after cursor: RunCursor?,
        limit: Int
    ) async throws -> [UnfinishedRun] {
        let rows = try await pool.query(
            """
            SELECT g.conversation_id, g.message_id, u.id, u.name, c.team_id, c.model, m.state,
                g.priority, g.queued_at, n.name AS node, g.position
            FROM generations g
            JOIN conversations c ON c.id = g.conversation_id
            JOIN messages m ON m.conversation_id = g.conversation_id AND m.id = g.message_id
            JOIN users u ON u.id = g.user_id
            LEFT JOIN nodes n ON n.id = g.lease_owner AND g.lease_until >= now()
            WHERE (g.priority, g.position) > ($1, $2)
            ORDER BY g.priority, g.position LIMIT $3
            """,
            [
                .int16(cursor?.priority ?? -1), .int64(cursor?.position ?? 0),
                .int64(Int64(limit)),
            ]
        )
        return try rows.map { row in
            let priority = try row.decode("priority", as: Int16.self)
            return UnfinishedRun(
                run: ServerRun(
                    conversation: try row.id("conversation_id", of: Conversation.self),
                    message: try row.id("message_id", of: Message.self),
                    user: User(
                        id: try row.id("id", of: User.self),
                        name: try row.decode("name", as: String.self)
                    ),
                    team: try row.optionalID("team_id", of: Team.self),
                    model: try row.decode("model", as: String.self),
                    state: try row.word("state", as: MessageState.self),
                    priority: nil,
                    queuedAt: try row.timestamp("queued_at"),
                    node: try row.decode("node", as: String?.self)
                ),
                priority: QueuePriority(rawValue: priority) ?? .interactive,
                cursor: RunCursor(
                    priority: priority,
                    position: try row.decode("position", as: Int64.self)
                )
            )
        }
    }

    /// Persists an administrator's stop request, with an entry in the audit log. The node that runs
    /// the answer, now or after a takeover, ends it. An answer that has ended is not changed.
    /// - Parameters:
    ///   - message: the answer.
    ///   - actor: the administrator.
    /// - Returns: the answer's conversation and state, and whether it had not ended yet.
    /// - Throws: `WireError.notFound` if there is no such answer.
    public func requestStop(
        _ message: MessageID,
        by actor: Actor
    ) async throws -> (conversation: ConversationID, state: MessageState, isUnfinished: Bool) {
        try await pool.transaction { transaction in
            let requested = try await transaction.query(
                """
                UPDATE generations g
                SET stop_requested_at = coalesce(g.stop_requested_at, now())
                FROM conversations c
                WHERE g.message_id = $1 AND c.id = g.conversation_id
                RETURNING g.user_id, c.team_id
                """,
                [.uuid(message)]
            )
            let rows = try await transaction.query(
                "SELECT conversation_id, state FROM messages WHERE id = $1 AND role = 'assistant'",
                [.uuid(message)]
            )
            guard let row = rows.first else { throw WireError.noSuchMessage }
            let conversation = try row.id("conversation_id", of: Conversation.self)
            if let run = requested.first {
                try transaction.audit(
                    .runStopped,
                    by: actor,
                    team: try run.optionalID("team_id", of: Team.self),
                    object: "\(message)",
                    detail: [
                        "user": try run.id("user_id", of: User.self).description,
                        "conversation": "\(conversation)",
                    ]
                )
            }
            return (conversation, try row.word("state", as: MessageState.self), !requested.isEmpty)
        }
    }
}
