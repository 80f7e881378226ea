// Turns whose prompt may be too long for the model. Whether it is takes a count of its tokens, which no
// transaction waits for: it is left, and begun again once they were counted.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// Thrown instead of storing a turn: its prompt has to be counted first.
public struct UncertainPrompt: Error {
    /// Where.
    public let conversation: ConversationID
    /// The model that answers there.
    public let model: String
    /// The message that the turn follows: the question itself where it is answered again.
    let parent: MessageID?
    /// What the user says; nil where a question is answered again.
    let question: String?
    /// The text that the answer begins with; empty for a new answer.
    public let continued: String
    /// What becomes of a history that is too long.
    public let policy: ContextPolicy
}

extension StoreTransaction {
    /// UTF-8 bytes that stand for a template's tokens and an author's name: no text has more tokens than
    /// bytes.
    private static let scaffoldBytes = 128

    /// Refuses to store a turn whose prompt may be too long and was not counted.
    /// - Throws: `UncertainPrompt`.
    func requireCounted(
        _ turn: NewTurn,
        _ lock: LockedConversation,
        at place: QueuePlace
    ) async throws {
        guard let uncounted = place.uncountedPromptTokens else { return }
        let answers = lock.answers
        let questionBytes: Int
        if let question = turn.question {
            questionBytes = question.utf8.count
        } else {
            questionBytes = try await byteCount(of: turn.place.parent, in: lock.id)
        }
        let newBytes =
            questionBytes + (turn.continued?.text.utf8.count ?? 0) + Self.scaffoldBytes
        var isShort = answers.systemPromptBytes + newBytes <= uncounted
        if answers.policy == .refuse, turn.place.parent != nil {
            // All of the history has to fit. How long it is, the newest answer says of its branch.
            let isKnown = answers.hasContext && turn.place.parent == lock.leaf
            isShort = isShort && isKnown && answers.contextTokens + newBytes <= uncounted
        }
        guard !isShort else { return }
        throw UncertainPrompt(
            conversation: lock.id,
            model: answers.model,
            parent: turn.place.parent,
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

extension Store {
    /// Reads what the answer of a turn that was not stored would be made from. Of a history that would
    /// be left out where it is too long, only what always stays is read: the newest question.
    /// - Parameters:
    ///   - prompt: what is to be counted.
    ///   - user: who asks.
    ///   - messageLimit: the most messages that a context can hold.
    ///   - answerTokens: the longest answer where the conversation says nothing.
    ///   - continuedTokens: tokens of the text that the answer begins with.
    /// - Returns: the request for a prompt.
    /// - Throws: `WireError.notFound` where the conversation was deleted.
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
