// Answers that requests of OpenAI's API refer to by their ids.

public import ChatCore
public import ChatProtocol
import Postgres

/// An answer that a request refers to, with what is before it.
public struct ContinuedAnswer: Sendable {
    /// The conversation that it is in.
    public let conversation: ConversationID
    /// Whether that is a request's own, rather than one of the user's.
    public let isOfRequest: Bool
    /// The conversation's model.
    public let model: String
    /// The conversation's system prompt; empty for none.
    public let systemPrompt: String
    /// The conversation's settings.
    public let settings: GenerationSettings
    /// What its request asked for beyond them.
    public let options: CompletionOptions
    /// The messages from the first one to the answer.
    public let branch: [Message]
    /// The answer.
    public let answer: Message

    /// The answer before the question; nil if there is none.
    public var previous: MessageID? { branch.dropLast().last { $0.role == .assistant }?.id }
}

extension MessageStore {
    /// Maximum messages of the branch of a request.
    private static let requestBranchMax = 1 << 14

    /// An answer to which a user may refer, with what is before it.
    /// - Throws: `WireError.notFound` if there is none, the user may not see it, or its request said
    ///   that it is not stored.
    public func continued(
        _ id: MessageID,
        for user: UserID
    ) async throws -> ContinuedAnswer {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), c.id, c.model, \(GenerationSettings.columns),
                c.api_options::text AS api_options, \(SystemPromptSelection.columns), c.api_user_id IS NOT NULL AS is_request
            FROM messages message
            JOIN conversations c ON c.id = message.conversation_id AND c.deleted_at IS NULL
                AND (c.api_user_id IS NULL OR c.api_stored)
            \(StandingSelection.joins(user: "$2"))
            \(SystemPromptSelection.join)
            WHERE message.id = $1 AND message.deleted_at IS NULL AND message.role = 'assistant'
                AND NOT message.id = ANY (c.api_deleted)
            """,
            [.uuid(id), .uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        if let refusal = Permission.decide(.read, try row.standing()).refusal { throw refusal }
        let conversation = try row.id("id", of: Conversation.self)
        let branch = try await branch(
            of: conversation,
            endingAt: id,
            limit: Self.requestBranchMax
        )
        guard let answer = branch.last else { throw WireError.noSuchMessage }
        return ContinuedAnswer(
            conversation: conversation,
            isOfRequest: try row.decode("is_request", as: Bool.self),
            model: try row.decode("model", as: String.self),
            systemPrompt: try row.decode("system_prompt", as: String.self),
            settings: try GenerationSettings(row: row),
            options: try CompletionOptions(row: row),
            branch: branch,
            answer: answer
        )
    }

    /// Deletes a response, which has ended: requests cannot refer to it any more. Its text stays
    /// while there are other responses in its conversation, which may continue it.
    /// - Parameters:
    ///   - id: the response.
    ///   - conversation: its conversation, which is a request's own.
    ///   - user: whose request it was.
    /// - Returns: whether it was the last one, so that the conversation is deleted.
    /// - Throws: `PostgresError`.
    public func deleteResponse(
        _ id: MessageID,
        in conversation: ConversationID,
        of user: UserID
    ) async throws -> Bool {
        try await pool.transaction { transaction in
            let rows = try await transaction.query(
                """
                UPDATE conversations c SET api_deleted = array_append(api_deleted, $1)
                WHERE id = $2 AND api_user_id = $3 AND NOT $1 = ANY (api_deleted)
                RETURNING held_at IS NULL AND NOT EXISTS (
                    SELECT 1 FROM messages m
                    WHERE m.conversation_id = c.id AND m.role = 'assistant' AND m.created_n > 0
                        AND m.deleted_at IS NULL AND NOT m.id = ANY (c.api_deleted)
                ) AS is_empty
                """,
                [.uuid(id), .uuid(conversation), .uuid(user)]
            )
            guard let row = rows.first, try row.decode("is_empty", as: Bool.self) else {
                return false
            }
            _ = try await transaction.query(
                "DELETE FROM conversations WHERE id = $1",
                [.uuid(conversation)]
            )
            return true
        }
    }
}
