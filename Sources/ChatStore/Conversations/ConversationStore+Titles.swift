// Titles that the model makes: what they are made from, and their place in the conversation.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The beginning of a conversation that awaits a title.
public struct TitleInput: Sendable {
    /// The model of the conversation.
    public let model: String
    /// Its first message.
    public let question: String
    /// The answer to it.
    public let answer: String
}

extension ConversationStore {
    /// Maximum characters of a message that are read for a title.
    private static let characterCountMax = 8000

    /// The first question and its answer, if the conversation awaits a title.
    /// - Returns: nil if it awaits none, or there is no completed answer to its first message.
    public func titleInput(of conversation: ConversationID) async throws -> TitleInput? {
        let rows = try await pool.query(
            """
            SELECT c.model, left(q.body, $2) AS question, left(a.body, $2) AS answer
            FROM conversations c
            JOIN messages q ON q.conversation_id = c.id AND q.parent_id IS NULL
                AND q.deleted_at IS NULL
            JOIN messages a ON a.conversation_id = c.id AND a.parent_id = q.id
                AND a.deleted_at IS NULL AND a.state = 'complete' AND a.body <> ''
            WHERE c.id = $1 AND c.deleted_at IS NULL AND c.awaits_title
            ORDER BY q.id, a.id LIMIT 1
            """,
            [.uuid(conversation), .int32(Int32(Self.characterCountMax))]
        )
        return try rows.first.map { row in
            TitleInput(
                model: try row.decode("model", as: String.self),
                question: try row.decode("question", as: String.self),
                answer: try row.decode("answer", as: String.self)
            )
        }
    }

    /// Gives a conversation the title that the model made, unless a user has set one meanwhile, and
    /// notes that it awaits none any more. The tokens are added to the ledger in any case, as used
    /// by the server: no user requested it.
    /// - Parameters:
    ///   - title: the title; nil if what the model generated is useless, which keeps the old one.
    ///   - conversation: the conversation.
    ///   - tokens: tokens used: prompt tokens computed, and tokens generated.
    /// - Returns: the event, if the title was changed.
    /// - Throws: `PostgresError`.
    public func addTitle(
        _ title: String?,
        to conversation: ConversationID,
        tokens: Int
    ) async throws -> [ServerEvent] {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT event_number, title FROM conversations
                WHERE id = $1 AND deleted_at IS NULL AND awaits_title FOR UPDATE
                """,
                [.uuid(conversation)]
            )
            try transaction.charge(title: tokens)
            guard let row = rows.first else { return [] }
            guard let title, try title != row.decode("title", as: String.self) else {
                try transaction.send(
                    "UPDATE conversations SET awaits_title = false WHERE id = $1",
                    [.uuid(conversation)]
                )
                return []
            }
            let n = try row.decode("event_number", as: Int64.self) + 1
            try transaction.send(
                "UPDATE conversations SET event_number = $2 WHERE id = $1",
                [.uuid(conversation), .int64(n)]
            )
            let event = try await transaction.retitle(conversation, title, n, isFinal: true)
            try transaction.tellLists(of: conversation, .changed)
            return [event]
        }
    }
}

extension StoreTransaction {
    /// Adds a title's tokens to the ledger, as the server's own work.
    fileprivate func charge(title tokens: Int) throws {
        try send(
            """
            WITH \(ServerWork.entered("title", id: "gen_random_uuid()", tokens: "$1::bigint"))
            SELECT
            """,
            [.int64(Int64(tokens))]
        )
    }

    /// Sets a conversation's title without a user.
    /// - Parameters:
    ///   - conversation: the conversation; its row must be locked.
    ///   - title: the title.
    ///   - n: the event's number, which the caller stores.
    ///   - isFinal: whether the model may no longer replace the title.
    /// - Returns: the event.
    /// - Throws: `PostgresError`.
    func retitle(
        _ conversation: ConversationID,
        _ title: String,
        _ n: Int64,
        isFinal: Bool
    ) async throws -> ServerEvent {
        let rows = try await query(
            """
            WITH c AS (
                UPDATE conversations SET title = $2, awaits_title = NOT $3 WHERE id = $1 RETURNING *
            )
            SELECT \(GenerationSettings.columns), c.model, c.context_policy,
                \(SystemPromptSelection.columns)
            FROM c \(SystemPromptSelection.join)
            """,
            [.uuid(conversation), .text(title), .bool(isFinal)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let change = ConversationChange(
            title: title,
            systemPrompt: try row.decode("system_prompt", as: String.self),
            model: try row.decode("model", as: String.self),
            settings: try GenerationSettings(row: row),
            systemPromptVersion: try SystemPromptVersion(row: row),
            contextPolicy: try row.word("context_policy", as: ContextPolicy.self)
        )
        try insertEvent(.conversationUpdated, n, in: conversation, payload: .json(change))
        return .conversationUpdated(
            ConversationUpdated(conversation: conversation, n: n, changed: change)
        )
    }
}
