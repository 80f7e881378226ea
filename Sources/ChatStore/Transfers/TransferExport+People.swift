// The first part of an export: users, teams, and the list of conversations.

import ChatProtocol
import Postgres
import Transfers

extension TransferExport {
    /// A time column in milliseconds, rounded down as in the protocol.
    static func milliseconds(_ column: String) -> String {
        "floor(extract(epoch FROM \(column)) * 1000)::bigint"
    }

    /// The team that the scope is limited to, for a parameter.
    private var team: PostgresValue {
        if case .team(let id) = scope { .uuid(id) } else { .null }
    }

    func users(after: UserID?) async throws -> [UserRecord] {
        let values: [PostgresValue] = [.optional(after), team, .int64(Int64(limits.others))]
        return try await page { transaction in
            try await transaction.query(
                """
                SELECT u.id, u.name FROM users u
                WHERE u.deleted_at IS NULL AND ($1::uuid IS NULL OR u.id > $1)
                    AND ($2::uuid IS NULL OR EXISTS (
                        SELECT FROM team_members t WHERE t.team_id = $2 AND t.user_id = u.id
                    ))
                ORDER BY u.id LIMIT $3
                """,
                values
            ).map { try UserRecord(row: $0) }
        }
    }

    func teams(after: TeamID?) async throws -> [TeamRecord] {
        let values: [PostgresValue] = [.optional(after), team, .int64(Int64(limits.others))]
        return try await page { transaction in
            try await transaction.query(
                """
                SELECT id, name, \(Self.milliseconds("created_at")) AS created_at FROM teams
                WHERE ($1::uuid IS NULL OR id > $1) AND ($2::uuid IS NULL OR id = $2)
                ORDER BY id LIMIT $3
                """,
                values
            ).map { row in
                TeamRecord(
                    id: try row.id("id", of: Team.self),
                    name: try row.decode("name", as: String.self),
                    createdAt: try row.milliseconds("created_at")
                )
            }
        }
    }

    func teamMembers(after: TeamMemberKey?) async throws -> [TeamMemberRecord] {
        let values: [PostgresValue] = [
            .optional(after?.team), .optional(after?.user), team, .int64(Int64(limits.others)),
        ]
        return try await page { transaction in
            try await transaction.query(
                """
                SELECT team_id, user_id, role, \(Self.milliseconds("joined_at")) AS joined_at
                FROM team_members
                WHERE ($1::uuid IS NULL OR (team_id, user_id) > ($1, $2))
                    AND ($3::uuid IS NULL OR team_id = $3)
                ORDER BY team_id, user_id LIMIT $4
                """,
                values
            ).map { row in
                TeamMemberRecord(
                    team: try row.id("team_id", of: Team.self),
                    user: try row.id("user_id", of: User.self),
                    role: try row.word("role", as: TeamRole.self),
                    joinedAt: try row.milliseconds("joined_at")
                )
            }
        }
    }

    /// The server's own system prompts, if everything is exported.
    func serverPrompts(after: Int32) async throws -> [SystemPromptRecord] {
        guard case .everything = scope else { return [] }
        return try await page { transaction in
            // One at a time, as a text may be long.
            try await transaction.query(
                """
                SELECT \(SystemPromptRecord.columns) FROM system_prompts p
                WHERE p.conversation_id IS NULL AND p.version > $1
                ORDER BY p.version LIMIT 1
                """,
                [.int32(after)]
            ).map { try SystemPromptRecord(row: $0) }
        }
    }

    // MARK: Conversations

    /// Which conversations `c` are exported, with the scope's id as parameter `$1`.
    private var condition: String {
        switch scope {
        case .conversation: "c.deleted_at IS NULL AND c.id = $1"
        case .user:
            """
            c.deleted_at IS NULL AND c.id IN (SELECT conversation_id FROM members WHERE user_id = $1)
                AND (c.team_id IS NULL OR EXISTS (
                    SELECT FROM team_members t WHERE t.team_id = c.team_id AND t.user_id = $1
                ))
            """
        case .team: "c.deleted_at IS NULL AND c.team_id = $1"
        case .everything: "c.deleted_at IS NULL AND c.api_user_id IS NULL AND $1::uuid IS NULL"
        }
    }

    /// The scope's id, for a parameter.
    var scopeID: PostgresValue {
        switch scope {
        case .conversation(let id): .uuid(id)
        case .user(let id): .uuid(id)
        case .team(let id): .uuid(id)
        case .everything: .null
        }
    }

    func conversations(after: ConversationID?) async throws -> [ConversationID] {
        let (condition, scopeID, limit) = (condition, scopeID, Int64(limits.others))
        return try await page { transaction in
            try await transaction.query(
                """
                SELECT c.id FROM conversations c
                WHERE \(condition) AND ($2::uuid IS NULL OR c.id > $2)
                ORDER BY c.id LIMIT $3
                """,
                [scopeID, .optional(after), .int64(limit)]
            ).map { try $0.id("id", of: Conversation.self) }
        }
    }

    func conversationCount() async throws -> Int {
        let rows = try await store.pool.query(
            "SELECT count(*) FROM conversations c WHERE \(condition)",
            [scopeID]
        )
        return try rows.first?.decode(as: Int.self) ?? 0
    }
}

extension UserRecord {
    /// Reads `id, name`.
    init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: User.self),
            name: try row.decode("name", as: String.self)
        )
    }
}

extension SystemPromptRecord {
    /// The columns of a system prompt `p`.
    static let columns = """
        p.id, p.conversation_id, p.version, p.body, p.author_id, p.library::text,
        \(TransferExport.milliseconds("p.created_at")) AS created_at
        """

    init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: SystemPrompt.self),
            conversation: try row.optionalID("conversation_id", of: Conversation.self),
            version: try row.decode("version", as: Int.self),
            text: try row.decode("body", as: String.self),
            author: try row.optionalID("author_id", of: User.self),
            library: try row.json("library", as: LibraryVersion.self),
            createdAt: try row.milliseconds("created_at")
        )
    }
}

extension PostgresRow {
    /// Reads a time that was selected in milliseconds.
    func milliseconds(_ column: StaticString) throws -> Timestamp {
        Timestamp(milliseconds: try decode(column, as: Int64.self))
    }
}
