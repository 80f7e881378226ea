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
            options: try row.json("api_options", as: CompletionOptions.self) ?? CompletionOptions(),
            branch: branch,
            answer: answer
        )
    }
}
