// System prompts: their texts never change. A new text is a new version, so that a receipt can name
// the text that a model got.

public import ChatProtocol
import Postgres

/// The SQL of system prompts.
enum SystemPromptSelection {
    /// The join to a conversation `c` that makes `p` its effective version: its own, otherwise the
    /// server's newest; all null if there is neither.
    static let join = """
        LEFT JOIN system_prompts p ON p.id = coalesce(
            c.system_prompt_id,
            (
                SELECT id FROM system_prompts
                WHERE conversation_id IS NULL ORDER BY version DESC LIMIT 1
            )
        )
        """
    /// The columns of that version: its text, its number, whether it is the conversation's own, and
    /// the library prompt that it was taken from.
    static let columns = """
        coalesce(p.body, '') AS system_prompt, p.version AS prompt_version,
        p.conversation_id IS NOT NULL AS is_own_prompt, p.library::text AS prompt_library
        """
    /// Columns of a listed version.
    static let listed = """
        p.version, p.body, u.id AS author_id, u.name AS author, p.created_at, p.conversation_id,
        p.library::text
        """
}

extension PromptStore {
    /// Maximum bytes of text per page of versions.
    private static let pageByteCountMax = 1 << 20

    /// Makes `text` the server's system prompt, for all conversations without their own.
    /// Idempotent. If several servers on one database differ, the last one started wins.
    /// - Throws: `PostgresError`.
    public func setServerPrompt(_ text: String) async throws {
        // Another server may insert that version first: then the next number is tried.
        for _ in 0..<10 {
            let rows = try await pool.query(
                """
                WITH newest AS (
                    SELECT version, body FROM system_prompts
                    WHERE conversation_id IS NULL ORDER BY version DESC LIMIT 1
                ), made AS (
                    INSERT INTO system_prompts (version, body)
                    SELECT coalesce((SELECT version FROM newest), 0) + 1, $1
                    WHERE NOT EXISTS (SELECT FROM newest WHERE body = $1)
                    ON CONFLICT DO NOTHING RETURNING version
                )
                SELECT EXISTS (SELECT FROM made) OR EXISTS (SELECT FROM newest WHERE body = $1)
                """,
                [.text(text)]
            )
            if try rows.first?.decode(as: Bool.self) == true { return }
        }
    }

    /// The versions of a conversation's system prompt, newest first.
    /// - Throws: `WireError.notFound` if the user is not a member of the conversation.
    public func systemPrompts(
        _ request: ConversationPromptsRequest,
        limit: Int,
        for user: UserID
    ) async throws -> ConversationPromptsReply {
        let id = request.conversation
        let conversation = try await conversations.conversation(id, for: user)
        let server = try await pool.query(
            """
            SELECT \(SystemPromptSelection.listed)
            FROM system_prompts p LEFT JOIN users u ON u.id = p.author_id
            WHERE p.conversation_id IS NULL ORDER BY p.version DESC LIMIT 1
            """
        )
        // The page ends early if texts are long.
        let rows = try await pool.query(
            """
            SELECT \(SystemPromptSelection.listed)
            FROM (
                SELECT *, sum(octet_length(body)) OVER (ORDER BY version DESC)
                    - octet_length(body) AS bytes_before
                FROM (
                    SELECT * FROM system_prompts
                    WHERE conversation_id = $1 AND ($2::integer IS NULL OR version < $2)
                    ORDER BY version DESC LIMIT $3
                ) page
            ) p LEFT JOIN users u ON u.id = p.author_id
            WHERE p.bytes_before < $4 ORDER BY p.version DESC
            """,
            [
                .uuid(id), .optional(request.before), .int64(Int64(limit)),
                .int64(Int64(Self.pageByteCountMax)),
            ]
        )
        let prompts = try rows.map { try SystemPrompt(row: $0) }
        return ConversationPromptsReply(
            current: conversation.systemPromptVersion,
            server: try server.first.map { try SystemPrompt(row: $0) },
            prompts: prompts,
            more: (prompts.last?.version ?? 1) > 1
        )
    }
}

extension StoreTransaction {
    /// Maximum versions of one conversation's system prompt.
    private static var systemPromptCountMax: Int32 { 10_000 }

    /// Gives a conversation, whose row is locked or new, its own system prompt. An unchanged text
    /// creates no version, unless its library prompt differs.
    func setSystemPrompt(
        _ text: String,
        from library: LibraryVersion? = nil,
        of conversation: ConversationID,
        by author: UserID?
    ) async throws {
        let current = try await query(
            """
            SELECT p.body = $2 AND ($3::jsonb IS NULL OR p.library IS NOT DISTINCT FROM $3)
            FROM conversations c
            JOIN system_prompts p ON p.id = c.system_prompt_id WHERE c.id = $1
            """,
            [.uuid(conversation), .text(text), .json(library)]
        )
        if try current.first?.decode(as: Bool.self) == true { return }
        let made = try await query(
            """
            WITH made AS (
                INSERT INTO system_prompts (conversation_id, version, body, author_id, library)
                SELECT $1, coalesce(max(version), 0) + 1, $2, $3, $5::jsonb FROM system_prompts
                WHERE conversation_id = $1
                HAVING coalesce(max(version), 0) < $4
                RETURNING id
            )
            UPDATE conversations c SET system_prompt_id = made.id FROM made WHERE c.id = $1
            """,
            [
                .uuid(conversation), .text(text), .optional(author),
                .int32(Self.systemPromptCountMax), .json(library),
            ]
        )
        guard made.affectedRowCount == 1 else {
            throw WireError(
                .limitExceeded,
                "the system prompt was changed \(Self.systemPromptCountMax) times; begin another"
                    + " conversation"
            )
        }
    }
}

extension StoreTransaction {
    /// Copies another conversation's own system prompt to a new conversation, as its version 1.
    func copySystemPrompt(of source: ConversationID, to copy: ConversationID) async throws {
        _ = try await query(
            """
            WITH made AS (
                INSERT INTO system_prompts (conversation_id, version, body, author_id, library)
                SELECT $2, 1, p.body, p.author_id, p.library
                FROM conversations c JOIN system_prompts p ON p.id = c.system_prompt_id
                WHERE c.id = $1
                RETURNING id
            )
            UPDATE conversations c SET system_prompt_id = made.id FROM made WHERE c.id = $2
            """,
            [.uuid(source), .uuid(copy)]
        )
    }
}

extension SystemPromptVersion {
    /// Reads a version's number and scope from `SystemPromptSelection.columns`; nil if there is
    /// none.
    init?(row: PostgresRow) throws {
        guard let version = try row.decode("prompt_version", as: Int32?.self) else { return nil }
        let isOwn = try row.decode("is_own_prompt", as: Bool.self)
        self.init(
            scope: isOwn ? .conversation : .server,
            version: Int(version),
            library: try row.json("prompt_library", as: LibraryVersion.self)
        )
    }
}

extension SystemPrompt {
    /// Reads a row of `SystemPromptSelection.listed`.
    fileprivate init(row: PostgresRow) throws {
        let author = try row.optionalID("author_id", of: User.self).map { id in
            User(id: id, name: try row.decode("author", as: String.self))
        }
        let conversation = try row.optionalID("conversation_id", of: Conversation.self)
        self.init(
            scope: conversation == nil ? .server : .conversation,
            version: Int(try row.decode("version", as: Int32.self)),
            text: try row.decode("body", as: String.self),
            author: author,
            createdAt: try row.timestamp("created_at"),
            library: try row.json("library", as: LibraryVersion.self)
        )
    }
}
