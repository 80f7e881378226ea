// Turns whose prompt may be too long for the model. Counting its tokens takes too long for a
// transaction: the transaction is rolled back, and repeated when the tokens have been counted.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// Thrown instead of storing a turn whose prompt must be counted first.
public struct UncertainPrompt: Error {
    /// The conversation.
    public let conversation: ConversationID
    /// The model of the conversation.
    public let model: String
    /// The parent of the turn: the question itself if only an answer is added.
    let parent: MessageID?
    /// The text of the question; nil if only an answer is added.
    let question: String?
    /// The text that the answer begins with; empty for a new answer.
    public let continued: String
    /// What happens to a history that exceeds the context.
    public let policy: ContextPolicy
}

extension StoreTransaction {
    /// UTF-8 bytes to allow for a template's tokens and an author's name: no text has more tokens
    /// than bytes.
    private static let scaffoldBytes = 128

    /// Requires that the prompt of a turn fits into the context, or that it was counted.
    /// - Throws: `UncertainPrompt`.
    func requireCounted(
        _ turn: NewTurn,
        _ lock: LockedConversation,
        in slot: QueueSlot
    ) async throws {
        guard let uncounted = slot.uncountedPromptTokens else { return }
        let answers = lock.answers
        let questionBytes: Int
        if let question = turn.question {
            questionBytes = question.utf8.count
        } else {
            questionBytes = try await byteCount(of: turn.branch.parent, in: lock.id)
        }
        let newBytes =
            questionBytes + (turn.continued?.text.utf8.count ?? 0) + Self.scaffoldBytes
        var isShort = answers.systemPromptBytes + newBytes <= uncounted
        if answers.policy == .refuse, turn.branch.parent != nil {
            // All of the history must fit. Its length is known for the branch of the newest answer.
            let isKnown = answers.hasContext && turn.branch.parent == lock.leaf
            isShort = isShort && isKnown && answers.contextTokens + newBytes <= uncounted
        }
        guard !isShort else { return }
        throw UncertainPrompt(
            conversation: lock.id,
            model: answers.model,
            parent: turn.branch.parent,
            question: turn.question,
            continued: turn.continued?.text ?? "",
            policy: answers.policy
        )
    }

    private func byteCount(
        of message: MessageID?,
        in conversation: ConversationID
    ) async throws -> Int {
        let rows = try await query(
            """
            SELECT octet_length(body) FROM messages WHERE conversation_id = $1 AND id = $2
            """,
            [.uuid(conversation), .optional(message)]
        )
        return try rows.first.map { Int(try $0.decode(as: Int32.self)) } ?? 0
    }
}

extension ContextStore {
    /// Reads the input of the prompt of a turn that was not stored. If the policy drops old
    /// messages, only the newest question is read, which is never dropped.
    /// - Parameters:
    ///   - prompt: the prompt to count.
    ///   - user: the author of the question.
    ///   - messageLimit: maximum messages that a context can contain.
    ///   - answerTokens: maximum length of the answer if the conversation sets none.
    ///   - continuedTokens: tokens of the text that the answer begins with.
    /// - Returns: the input.
    /// - Throws: `WireError.notFound` if the conversation was deleted.
    public func promptRequest(
        of prompt: UncertainPrompt,
        by user: User,
        messageLimit: Int,
        answerTokens: Int,
        continuedTokens: Int
    ) async throws -> PromptRequest {
        let rows = try await pool.query(
            """
            SELECT \(SystemPromptSelection.columns), c.max_tokens, coalesce(q.depth, 0) AS depth
            FROM conversations c
            LEFT JOIN messages q ON q.conversation_id = c.id AND q.id = $2
            \(SystemPromptSelection.join)
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(prompt.conversation), .optional(prompt.parent)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let depth = Int(try row.decode("depth", as: Int32.self))
        let isWhole = prompt.policy == .refuse
        var branch: [PromptMessage] = []
        if let parent = prompt.parent, isWhole || prompt.question == nil {
            branch = try await branchTexts(
                of: prompt.conversation,
                endingAt: parent,
                depth: depth,
                messageLimit: isWhole ? messageLimit : 1,
                byteLimit: messageLimit * Self.bytesPerMessage
            )
        }
        let older = isWhole ? depth - branch.count : 0
        if let question = prompt.question {
            branch.append(
                PromptMessage(id: .make(), role: "user", text: question, author: user.name)
            )
        }
        let answer = try row.decode("max_tokens", as: Int32?.self).map(Int.init) ?? answerTokens
        return PromptRequest(
            systemPrompt: try row.decode("system_prompt", as: String.self),
            systemPromptVersion: try SystemPromptVersion(row: row),
            policy: prompt.policy,
            branch: branch,
            olderMessageCount: older,
            maxNewTokens: continuedTokens + answer
        )
    }
}
