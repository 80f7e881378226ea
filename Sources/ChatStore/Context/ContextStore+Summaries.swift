// Summaries of the beginnings of branches. A summary covers all messages from the first one through
// one of them, so it is valid on each branch with this message.

public import ChatCore
public import ChatProtocol
import Postgres

/// The input of a summary.
public struct SummaryInput: Sendable {
    /// The model of the conversation.
    public let model: String
    /// The summary that the new one continues; nil for the first one.
    public let previous: PromptRequest.BranchSummary?
    /// The messages after that summary, oldest first, up to the limits.
    public let messages: [PromptMessage]
    /// Number of earlier messages on the branch.
    public let messageCountBefore: Int
}

extension ContextStore {
    private static let columns = """
        s.id AS summary_id, s.through_id, s.message_count, s.body AS summary
        """

    /// The newest summary of a conversation that is on a branch.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - branch: its newest messages; the summary must end at one of them, before the last.
    /// - Returns: nil if there is none.
    /// - Throws: `PostgresError`.
    func newestSummary(
        of conversation: ConversationID,
        on branch: [PromptMessage]
    ) async throws -> PromptRequest.BranchSummary? {
        let ends = branch.dropLast().compactMap { $0.id?.uuid }
        guard !ends.isEmpty else { return nil }
        let rows = try await pool.query(
            """
            SELECT \(Self.columns) FROM summaries s
            WHERE s.conversation_id = $1 AND s.through_id = ANY ($2)
            ORDER BY s.message_count DESC LIMIT 1
            """,
            [.uuid(conversation), .uuidArray(ends)]
        )
        return try rows.first.map { try PromptRequest.BranchSummary(row: $0) }
    }

    /// Summaries by id.
    func summaries(
        _ ids: [SummaryID],
        in conversation: ConversationID
    ) async throws -> [SummaryID: PromptRequest.BranchSummary] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT \(Self.columns) FROM summaries s
            WHERE s.conversation_id = $1 AND s.id = ANY ($2)
            """,
            [.uuid(conversation), .uuidArray(ids.map(\.uuid))]
        )
        let summaries = try rows.map { try PromptRequest.BranchSummary(row: $0) }
        return Dictionary(summaries.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Reads the input of the next summary of a branch: the newest summary before `through`, and
    /// the oldest messages after it.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - through: the last message to summarize.
    ///   - messageLimit: maximum messages.
    ///   - byteLimit: bytes of text after which no more messages are read.
    /// - Returns: nil if a summary already ends there, or there is nothing left to summarize.
    /// - Throws: `PostgresError`.
    public func summaryInput(
        of conversation: ConversationID,
        through: MessageID,
        messageLimit: Int,
        byteLimit: Int
    ) async throws -> SummaryInput? {
        // Follows only ids back to the newest summary; texts are read from there on.
        let rows = try await pool.query(
            """
            WITH RECURSIVE path AS (
                SELECT id, parent_id, depth FROM messages
                WHERE conversation_id = $1 AND id = $2
                UNION ALL
                SELECT p.id, p.parent_id, p.depth
                FROM path JOIN messages p ON p.conversation_id = $1 AND p.id = path.parent_id
                WHERE NOT EXISTS (
                    SELECT FROM summaries
                    WHERE conversation_id = $1 AND through_id = path.id
                )
            ), oldest AS (
                SELECT m.id, m.role, m.body, m.depth, m.author_id,
                    sum(octet_length(m.body)) OVER (ORDER BY m.depth) - octet_length(m.body)
                        AS bytes_before
                FROM (SELECT id FROM path ORDER BY depth LIMIT $3) p
                JOIN messages m ON m.conversation_id = $1 AND m.id = p.id
            )
            SELECT o.id, o.role, o.body, o.depth, c.model, \(MessageSelection.speaker) AS speaker,
                \(Self.columns)
            FROM oldest o LEFT JOIN users u ON u.id = o.author_id
            JOIN conversations c ON c.id = $1 AND c.deleted_at IS NULL
            LEFT JOIN summaries s ON s.conversation_id = $1 AND s.through_id = o.id
            WHERE o.bytes_before < $4 ORDER BY o.depth
            """,
            [
                .uuid(conversation), .uuid(through), .int64(Int64(messageLimit) + 1),
                .int64(Int64(byteLimit)),
            ]
        )
        guard let first = rows.first else { return nil }
        let hasPrevious = try first.optionalID("summary_id", of: Summary.self) != nil
        let messages = try rows.dropFirst(hasPrevious ? 1 : 0).map { row in
            PromptMessage(
                id: try row.id("id", of: Message.self),
                role: try row.decode("role", as: String.self),
                stored: try row.decode("body", as: String.self),
                author: try row.decode("speaker", as: String?.self)
            )
        }
        guard !messages.isEmpty else { return nil }
        return SummaryInput(
            model: try first.decode("model", as: String.self),
            previous: hasPrevious ? try PromptRequest.BranchSummary(row: first) : nil,
            messages: messages,
            messageCountBefore: Int(try first.decode("depth", as: Int32.self))
                - (hasPrevious ? 0 : 1)
        )
    }

    /// Stores a summary, unless another one ends there or the conversation was deleted meanwhile.
    /// Its tokens are added to the ledger in any case, as used by the server: no user requested it.
    /// - Parameters:
    ///   - text: the text; 1 to 65,536 bytes.
    ///   - id: the summary's id.
    ///   - conversation: the conversation.
    ///   - through: the last message that it covers.
    ///   - receipt: the receipt.
    ///   - tokens: tokens used: prompt tokens computed, and tokens of the text.
    /// - Returns: whether it was stored.
    /// - Throws: `PostgresError`.
    @discardableResult
    public func addSummary(
        _ text: String,
        id: SummaryID,
        of conversation: ConversationID,
        through: MessageID,
        receipt: some Encodable,
        tokens: Int
    ) async throws -> Bool {
        let rows = try await pool.query(
            """
            WITH added AS (
                INSERT INTO summaries
                    (id, conversation_id, through_id, message_count, body, receipt)
                SELECT $1, m.conversation_id, m.id, m.depth, $4, $5
                FROM messages m
                JOIN conversations c ON c.id = m.conversation_id AND c.deleted_at IS NULL
                WHERE m.conversation_id = $2 AND m.id = $3 AND m.deleted_at IS NULL
                ON CONFLICT DO NOTHING
                RETURNING id
            ), \(ServerWork.entered("summary", id: "$1", tokens: "$6"))
            SELECT FROM added
            """,
            [
                .uuid(id), .uuid(conversation), .uuid(through), .text(text), .json(receipt),
                .int64(Int64(tokens)),
            ]
        )
        return !rows.isEmpty
    }
}

extension PromptRequest.BranchSummary {
    /// Reads the columns of a summary `s`.
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("summary_id", of: Summary.self),
            through: try row.id("through_id", of: Message.self),
            messageCount: Int(try row.decode("message_count", as: Int32.self)),
            text: try row.decode("summary", as: String.self)
        )
    }
}
