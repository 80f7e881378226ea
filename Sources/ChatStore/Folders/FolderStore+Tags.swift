// Tags: short names that a user gives to conversations of their own list.

public import ChatProtocol
import Postgres

extension FolderStore {
    /// Maximum tags of a conversation.
    public static let tagsPerConversationMax = 20
    /// Maximum different tags per user.
    public static let tagsMax = 200
    /// Maximum length of a tag, in characters.
    public static let tagCharactersMax = 40

    /// Replaces a member's tags of a conversation. Idempotent.
    /// - Returns: the tags, each once.
    /// - Throws: `WireError.notFound` if the user is not a member; `.limitExceeded` if they would
    ///   have more than `tagsMax`.
    public func tag(
        _ request: ConversationTagRequest,
        by user: UserID
    ) async throws -> [String] {
        try await pool.transaction { transaction in
            _ = try await transaction.lock(request.conversation, for: user, to: .read)
            let tags = try await transaction.normalized(request.tags)
            let changed = try await transaction.query(
                """
                WITH \(ListNumbers.next(of: """
                    SELECT user_id FROM members WHERE conversation_id = $1 AND user_id = $2
                        AND tags <> $3
                    """))
                UPDATE members m SET list_u = counted.u, tags = $3
                FROM counted
                WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
                RETURNING m.user_id
                """,
                [.uuid(request.conversation), .uuid(user), .textArray(tags)]
            )
            guard !changed.isEmpty, !tags.isEmpty else { return tags }
            let all = try await transaction.query(Self.tagQuery, [.uuid(user)])
            guard all.count <= Self.tagsMax else {
                throw WireError(
                    .limitExceeded,
                    "more than \(Self.tagsMax) different tags: use one that you have, or remove one"
                )
            }
            return tags
        }
    }

    /// A user's tags, by name.
    public func tags(of user: UserID) async throws -> [Tag] {
        let rows = try await pool.query(Self.tagQuery, [.uuid(user)])
        return try rows.map { row in
            Tag(
                name: try row.decode("tag", as: String.self),
                conversations: Int(try row.decode("conversations", as: Int64.self))
            )
        }
    }

    private static let tagQuery = """
        SELECT t.tag, count(*) AS conversations
        FROM members m JOIN conversations c ON c.id = m.conversation_id
        CROSS JOIN unnest(m.tags) AS t (tag)
        WHERE m.user_id = $1 AND m.tags <> '{}' AND c.deleted_at IS NULL
        GROUP BY t.tag ORDER BY lower(t.tag), t.tag
        """
}

extension StoreTransaction {
    /// Tags in Unicode normalization form C, each once, by name: what looks the same is the same.
    fileprivate func normalized(_ tags: [String]) async throws -> [String] {
        let rows = try await query(
            """
            SELECT DISTINCT lower(normalize(tag)) AS folded, normalize(tag) AS tag
            FROM unnest($1::text[]) AS t (tag) ORDER BY folded, tag
            """,
            [.textArray(tags)]
        )
        return try rows.map { try $0.decode("tag", as: String.self) }
    }
}
