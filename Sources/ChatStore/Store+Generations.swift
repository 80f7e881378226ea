// What an answer is made from. Its row of the queue is held under a lease; no lock is held while a model
// computes; the row leaves with the answer's final state. Claims stand in Store+Queue.swift.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// An answer that this node may make until its lease ends.
public struct ClaimedRun: Sendable {
    /// The answer.
    public let message: MessageID
    /// Where.
    public let conversation: ConversationID
    /// This attempt.
    public let run: RunID
    /// 1 for the first attempt; more where earlier ones ended before they got on with the answer.
    public let attempt: Int
    /// Whether an earlier run of this answer was claimed.
    public let isRestart: Bool
}

/// What an answer is made from.
public struct RunInput: Sendable {
    /// What the model is told first.
    public let systemPrompt: String
    /// The model that the conversation asks for.
    public let model: String
    /// How the answer is made.
    public let settings: GenerationSettings
    /// The newest messages of the branch, oldest first, the question last.
    public let branch: [PromptMessage]
    /// How many messages of the branch stand before those.
    public let olderMessageCount: Int
}

extension Store {
    /// Reads what an answer is made from, anew for each run.
    /// - Parameters:
    ///   - run: which answer.
    ///   - messageLimit: the most messages that a context can hold.
    /// - Returns: the input.
    /// - Throws: `WireError.notFound` where the conversation was deleted.
    public func input(of run: ClaimedRun, messageLimit: Int) async throws -> RunInput {
        let rows = try await pool.query(
            """
            SELECT c.system_prompt, c.model, c.temperature, c.top_p, c.max_tokens, q.id, q.depth
            FROM conversations c
            JOIN messages a ON a.conversation_id = c.id AND a.id = $2
            JOIN messages q ON q.conversation_id = c.id AND q.id = a.parent_id
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(run.conversation), .uuid(run.message)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let branch = try await branch(
            of: run.conversation,
            endingAt: try row.id(5, of: Message.self),
            limit: messageLimit
        )
        return RunInput(
            systemPrompt: try row.decode(0, as: String.self),
            model: try row.decode(1, as: String.self),
            settings: GenerationSettings(
                temperature: try row.decode(2, as: Double?.self),
                topP: try row.decode(3, as: Double?.self),
                maxTokens: try row.decode(4, as: Int32?.self).map(Int.init)
            ),
            branch: branch.map { message in
                PromptMessage(id: message.id, role: message.role.rawValue, text: message.text)
            },
            olderMessageCount: Int(try row.decode(6, as: Int32.self)) - branch.count
        )
    }
}
