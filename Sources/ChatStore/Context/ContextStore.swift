// The input of a run: system prompt, settings, and the branch from its newest message back.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The input of a run.
public struct RunInput: Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The system prompt.
    public let systemPrompt: String
    /// Its version; nil if neither the conversation nor the server has one.
    public let systemPromptVersion: SystemPromptVersion?
    /// The model of the conversation.
    public let model: String
    /// The generation settings.
    public let settings: GenerationSettings
    /// What a request of OpenAI's API asks for beyond them.
    public let options: CompletionOptions
    /// The prompt of a request without a chat template; nil if the template applies.
    public let rawPrompt: RawPrompt?
    /// How many answers of the same request were stored before this one.
    public let answerIndex: Int
    /// The maximum length of the answer, in tokens, if a budget shortened it.
    public let shortenedTo: Int?
    /// What happens to a history that exceeds the context.
    public let policy: ContextPolicy
    /// The summary of the messages before `branch`, if the policy uses one and there is one.
    public let summary: PromptRequest.BranchSummary?
    /// The newest messages of the branch, oldest first, ending with the question.
    public let branch: [PromptMessage]
    /// Number of earlier messages on the branch, without those in the summary.
    public let olderMessageCount: Int
    /// The branch's first message; nil if the conversation has several first messages.
    public let firstMessage: MessageID?
    /// Whether the model may make the conversation's title.
    public let awaitsTitle: Bool
}

/// The input of runs, summaries of branches, and receipts.
public struct ContextStore {
    let pool: StorePool
    let conversations: ConversationStore

    /// Maximum bytes of text read per message of the limit: far more than a context of three tokens
    /// per message can contain.
    static let bytesPerMessage = 192

    /// Reads the input of a run.
    /// - Parameters:
    ///   - run: the run.
    ///   - messageLimit: maximum messages that a context can contain.
    /// - Returns: the input.
    /// - Throws: `WireError.notFound` if the conversation was deleted.
    public func input(of run: ClaimedRun, messageLimit: Int) async throws -> RunInput {
        let rows = try await pool.query(
            """
            SELECT \(SystemPromptSelection.columns), c.model, \(GenerationSettings.columns),
                c.api_options::text AS api_options, c.context_policy, c.awaits_title, q.id AS question_id, q.depth,
                (SELECT answer_tokens FROM generations WHERE message_id = $2) AS shortened_to,
                \(RequestIndex.answer) AS answer_index, \(RequestIndex.question) AS question_index,
                (
                    SELECT CASE count(*) WHEN 1 THEN (array_agg(id))[1] END
                    FROM (
                        SELECT id FROM messages
                        WHERE conversation_id = $1 AND parent_id IS NULL AND deleted_at IS NULL
                        LIMIT 2
                    ) roots
                ) AS first_message
            FROM conversations c
            JOIN messages a ON a.conversation_id = c.id AND a.id = $2
            JOIN messages q ON q.conversation_id = c.id AND q.id = a.parent_id
            \(SystemPromptSelection.join)
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(run.conversation), .uuid(run.message)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        let policy = try row.word("context_policy", as: ContextPolicy.self)
        let depth = Int(try row.decode("depth", as: Int32.self))
        var branch = try await branchTexts(
            of: run.conversation,
            endingAt: try row.id("question_id", of: Message.self),
            depth: depth,
            messageLimit: messageLimit,
            byteLimit: messageLimit * Self.bytesPerMessage
        )
        let options = try CompletionOptions(row: row)
        if options.tools != nil { branch = branch.map(\.withTools) }
        let summary =
            policy == .summarize ? try await newestSummary(of: run.conversation, on: branch) : nil
        let start = summary.flatMap { summary in
            branch.firstIndex { $0.id == summary.through }.map { $0 + 1 }
        }
        return RunInput(
            conversation: run.conversation,
            systemPrompt: try row.decode("system_prompt", as: String.self),
            systemPromptVersion: try SystemPromptVersion(row: row),
            model: try row.decode("model", as: String.self),
            settings: try GenerationSettings(row: row),
            options: options,
            rawPrompt: options.rawPrompt(at: try row.decode("question_index", as: Int64.self)),
            answerIndex: Int(try row.decode("answer_index", as: Int64.self)),
            shortenedTo: try row.decode("shortened_to", as: Int32?.self).map(Int.init),
            policy: policy,
            summary: summary,
            branch: Array(branch[(start ?? 0)...]),
            olderMessageCount: start == nil ? depth - branch.count : 0,
            firstMessage: try row.optionalID("first_message", of: Message.self),
            awaitsTitle: try row.decode("awaits_title", as: Bool.self)
        )
    }

    /// The texts of the branch that ends at a message, oldest first.
    ///
    /// Messages are mostly written along one branch, so its newest ones are among the newest of the
    /// conversation: one scan of the primary key reads them, ten times as fast as following parents
    /// row by row. If other branches are in between, parents are followed where needed.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - last: the last message of the branch.
    ///   - depth: that message's depth.
    ///   - messageLimit: maximum messages.
    ///   - byteLimit: bytes of text after which no more messages are read.
    /// - Returns: the messages.
    /// - Throws: `WireError.notFound` if `last` does not exist.
    package func branchTexts(
        of conversation: ConversationID,
        endingAt last: MessageID,
        depth: Int,
        messageLimit: Int,
        byteLimit: Int
    ) async throws -> [PromptMessage] {
        var branch: [PromptMessage] = []
        var next: MessageID? = last
        var byteCount = 0
        var followsParents = false
        while let wanted = next, branch.count < messageLimit, byteCount < byteLimit {
            let before = branch.count
            let page = min(max(1, min(messageLimit, depth) - before), 1000)
            var known: [MessageID: PostgresRow] = [:]
            if !followsParents {
                known = try await newestTexts(of: conversation, upTo: wanted, limit: page + 32)
            }
            if known[wanted] == nil {
                known = try await ancestors(of: conversation, from: wanted, limit: page)
            }
            guard known[wanted] != nil else { throw WireError.noSuchMessage }
            while let id = next, branch.count < messageLimit, byteCount < byteLimit,
                let row = known.removeValue(forKey: id)
            {
                let text = try row.decode("body", as: String.self)
                branch.append(
                    PromptMessage(
                        id: id,
                        role: try row.decode("role", as: String.self),
                        stored: text,
                        author: try row.decode("speaker", as: String?.self)
                    )
                )
                byteCount += text.utf8.count
                next = try row.optionalID("parent_id", of: Message.self)
            }
            followsParents = branch.count - before < page / 2
        }
        return branch.reversed()
    }

    /// A conversation's newest messages that are not newer than `last`, apart from differences
    /// between the servers' clocks.
    private func newestTexts(
        of conversation: ConversationID,
        upTo last: MessageID,
        limit: Int
    ) async throws -> [MessageID: PostgresRow] {
        let rows = try await pool.query(
            """
            SELECT m.id, m.parent_id, m.role, m.body, \(MessageSelection.speaker) AS speaker
            FROM (
                SELECT * FROM messages
                WHERE conversation_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
            ) m \(MessageSelection.author)
            """,
            [.uuid(conversation), .uuid(Self.time(of: last, plus: 10_000)), .int64(Int64(limit))]
        )
        return try Self.byID(rows)
    }

    /// A message and its ancestors, following parents.
    private func ancestors(
        of conversation: ConversationID,
        from last: MessageID,
        limit: Int
    ) async throws -> [MessageID: PostgresRow] {
        let rows = try await pool.query(
            """
            WITH RECURSIVE m AS (
                SELECT id, parent_id, role, body, author_id, 1 AS step
                FROM messages WHERE conversation_id = $1 AND id = $2
                UNION ALL
                SELECT p.id, p.parent_id, p.role, p.body, p.author_id, m.step + 1
                FROM m JOIN messages p ON p.conversation_id = $1 AND p.id = m.parent_id
                WHERE m.step < $3
            )
            SELECT m.id, m.parent_id, m.role, m.body, \(MessageSelection.speaker) AS speaker
            FROM m \(MessageSelection.author)
            """,
            [.uuid(conversation), .uuid(last), .int32(Int32(clamping: limit))]
        )
        return try Self.byID(rows)
    }

    private static func byID(_ rows: PostgresRows) throws -> [MessageID: PostgresRow] {
        var byID: [MessageID: PostgresRow] = [:]
        for row in rows { byID[try row.id("id", of: Message.self)] = row }
        return byID
    }

    /// The lowest id of a time some milliseconds after that of `id`.
    private static func time(of id: MessageID, plus milliseconds: UInt64) -> UUID {
        let bytes = id.uuid.uuid
        let time =
            [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5]
            .reduce(UInt64(0)) { $0 << 8 | UInt64($1) } + milliseconds
        func byte(_ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: time >> shift) }
        return UUID(
            uuid: (
                byte(40), byte(32), byte(24), byte(16), byte(8), byte(0), 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0
            )
        )
    }
}
