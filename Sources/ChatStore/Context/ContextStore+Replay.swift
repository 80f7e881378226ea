// Reads the messages that a receipt names, for an operator who reconstructs an answer's prompt. No
// permission is checked: an operator with access to the database can read everything.

public import ChatCore
public import ChatProtocol
import Postgres

/// A message's conversation and receipt.
public struct StoredReceipt: Sendable {
    /// The conversation.
    public let conversation: ConversationID
    /// The receipt as JSON; nil for a question, and for an answer that never started.
    public let json: String?
}

extension ContextStore {
    /// The receipt of a message.
    /// - Returns: nil if there is no such message.
    /// - Throws: `PostgresError`.
    public func storedReceipt(of message: MessageID) async throws -> StoredReceipt? {
        let rows = try await pool.query(
            "SELECT conversation_id, receipt::text AS json FROM messages WHERE id = $1",
            [.uuid(message)]
        )
        return try rows.first.map { row in
            StoredReceipt(
                conversation: try row.id("conversation_id", of: Conversation.self),
                json: try row.decode("json", as: String?.self)
            )
        }
    }

    /// The prompt of an answer whose receipt says that no chat template was applied.
    /// - Returns: nil if the answer is deleted, or a template applies.
    /// - Throws: `PostgresError`.
    public func rawPrompt(of message: MessageID) async throws -> RawPrompt? {
        let rows = try await pool.query(
            """
            SELECT c.api_options::text AS api_options, \(RequestIndex.question) AS question_index
            FROM messages a
            JOIN conversations c ON c.id = a.conversation_id
            JOIN messages q ON q.conversation_id = c.id AND q.id = a.parent_id
            WHERE a.id = $1
            """,
            [.uuid(message)]
        )
        guard let row = rows.first else { return nil }
        return try CompletionOptions(row: row)
            .rawPrompt(at: try row.decode("question_index", as: Int64.self))
    }

    /// The messages of a receipt's entries, in their order.
    /// - Parameters:
    ///   - receipt: the receipt of an answer in `conversation`.
    ///   - conversation: the conversation.
    /// - Returns: the messages, including the system prompt and summaries.
    /// - Throws: `WireError.notFound` if one of them was deleted.
    public func messages(
        of receipt: PromptReceipt,
        in conversation: ConversationID
    ) async throws -> [PromptMessage] {
        var texts = try await texts(of: receipt.entries.compactMap(\.message), in: conversation)
        if receipt.version >= PromptReceipt.firstWithoutThinking {
            texts = texts.mapValues(\.withoutThinking)
        }
        let tools = try await options(of: conversation).tools
        if tools != nil { texts = texts.mapValues(\.withTools) }
        let summaries = try await summaries(
            receipt.entries.compactMap(\.summary),
            in: conversation
        )
        var messages: [PromptMessage] = []
        for entry in receipt.entries {
            if let id = entry.message {
                guard let message = texts[id] else {
                    throw WireError(.notFound, "the message \(id) is gone")
                }
                messages.append(entry.author.map { message.named($0) } ?? message)
            } else if let id = entry.summary {
                guard let summary = summaries[id] else {
                    throw WireError(.notFound, "the summary \(id) is gone")
                }
                messages.append(PromptBuilder.message(for: summary))
            } else {
                let text = try await systemPrompt(receipt.systemPrompt, in: conversation)
                messages.append(PromptMessage(systemPrompt: text, tools: tools?.definitions))
            }
        }
        return messages
    }

    /// What a request of OpenAI's API asks for; nothing for other conversations.
    private func options(of conversation: ConversationID) async throws -> CompletionOptions {
        let rows = try await pool.query(
            "SELECT api_options::text AS api_options FROM conversations WHERE id = $1",
            [.uuid(conversation)]
        )
        let stored = try rows.first?.json("api_options", as: CompletionOptions.self)
        return stored ?? CompletionOptions()
    }

    private func texts(
        of ids: [MessageID],
        in conversation: ConversationID
    ) async throws -> [MessageID: PromptMessage] {
        let rows = try await pool.query(
            """
            SELECT id, role, body FROM messages
            WHERE conversation_id = $1 AND id = ANY ($2) AND deleted_at IS NULL
            """,
            [.uuid(conversation), .uuidArray(ids.map(\.uuid))]
        )
        var texts: [MessageID: PromptMessage] = [:]
        for row in rows {
            let id = try row.id("id", of: Message.self)
            texts[id] = PromptMessage(
                id: id,
                role: try row.decode("role", as: String.self),
                text: try row.decode("body", as: String.self)
            )
        }
        return texts
    }

    /// The text of a version. Receipts of format version 1 name none; they used version 1.
    private func systemPrompt(
        _ version: SystemPromptVersion?,
        in conversation: ConversationID
    ) async throws -> String {
        let version = version ?? SystemPromptVersion(scope: .conversation, version: 1)
        let rows = try await pool.query(
            """
            SELECT body FROM system_prompts
            WHERE conversation_id IS NOT DISTINCT FROM $1 AND version = $2
            """,
            [
                version.scope == .conversation ? .uuid(conversation) : .null,
                .int32(Int32(clamping: version.version)),
            ]
        )
        guard let row = rows.first else {
            throw WireError(.notFound, "version \(version.version) of the system prompt is gone")
        }
        return try row.decode("body", as: String.self)
    }
}
