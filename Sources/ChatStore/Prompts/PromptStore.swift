// Prompt libraries: a team's, which its members edit together, and each user's own. Texts never
// change: a new text is a new version.

import ChatCore
public import ChatProtocol
import Postgres

/// Prompt libraries, and the versions of conversations' system prompts.
public struct PromptStore {
    let pool: StorePool
    let teams: TeamStore
    let conversations: ConversationStore

    /// Maximum prompts per library.
    public static let promptsMax = 500
    /// Maximum versions per prompt.
    public static let promptVersionsMax = 1000
    /// Maximum bytes of text per page of versions.
    private static let pageByteCountMax = 1 << 20

    /// Adds a prompt to a library. Repeating the key returns the first reply and creates nothing.
    /// - Throws: `WireError.notFound` if the user is not in the team; `.limitExceeded` if the
    ///   library is full.
    public func create(
        _ request: PromptCreateRequest,
        by user: User
    ) async throws -> LibraryPrompt {
        let keyed = try KeyedRequest(
            request.key,
            of: user.id,
            hash: RequestHash.of(request, as: .promptCreate)
        )
        return try await pool.keyed { transaction in
            let reply = try await transaction.replay(of: keyed, as: LibraryPrompt.self)
            if let reply { return reply }
            try await transaction.lockLibrary(of: request.team, for: user.id)
            let id = PromptID.make()
            let made = try await transaction.query(
                """
                INSERT INTO prompts (id, team_id, owner_id)
                SELECT $1::uuid, $2::uuid, $3::uuid
                WHERE $4 > (
                    SELECT count(*) FROM prompts
                    WHERE deleted_at IS NULL AND (team_id = $2 OR owner_id = $3))
                """,
                [
                    .uuid(id), .optional(request.team),
                    request.team == nil ? .uuid(user.id) : .null, .integer(Self.promptsMax),
                ]
            )
            guard made.affectedRowCount == 1 else {
                throw WireError(
                    .limitExceeded,
                    "more than \(Self.promptsMax) prompts in one library: delete some"
                )
            }
            let text = PromptText(name: request.name, body: request.text)
            try transaction.insertVersion(1, of: id, text, by: user)
            try transaction.audit(.promptCreated, of: id, text, in: request.team, by: user)
            let prompt = try await transaction.prompt(id)
            try transaction.keep(prompt, of: keyed)
            return prompt
        }
    }

    /// Adds a version to a prompt. An unchanged text and name add none, nor does a repeated request
    /// whose reply was lost.
    /// - Throws: `WireError.conflict` if it was changed since the version that the user saw.
    public func update(
        _ request: PromptUpdateRequest,
        by user: User
    ) async throws -> LibraryPrompt {
        try await pool.transaction { transaction in
            let lock = try await transaction.lockPrompt(request.prompt, for: user.id)
            guard !lock.isDeleted else { throw WireError.noSuchPrompt }
            let text = PromptText(name: request.name ?? lock.newest.name, body: request.text)
            let isRepeated =
                text == lock.newest && lock.author == user.id
                && request.version == lock.version - 1
            guard request.version == lock.version || isRepeated else {
                throw WireError(
                    .conflict,
                    "the prompt was changed in the meantime: its newest version is \(lock.version)"
                )
            }
            if text != lock.newest {
                guard lock.version < Self.promptVersionsMax else {
                    throw WireError(
                        .limitExceeded,
                        "the prompt was changed \(lock.version) times: make another one"
                    )
                }
                _ = try await transaction.query(
                    "UPDATE prompts SET version = version + 1 WHERE id = $1",
                    [.uuid(request.prompt)]
                )
                try transaction.insertVersion(lock.version + 1, of: request.prompt, text, by: user)
                try transaction.audit(
                    .promptUpdated,
                    of: request.prompt,
                    text,
                    in: lock.team,
                    by: user
                )
            }
            return try await transaction.prompt(request.prompt)
        }
    }

    /// Removes a prompt from its library. System prompts taken from it stay unchanged.
    /// - Throws: `WireError.notFound` if it is in no library that the user can see.
    public func delete(_ id: PromptID, by user: User) async throws {
        try await pool.transaction { transaction in
            let lock = try await transaction.lockPrompt(id, for: user.id)
            guard !lock.isDeleted else { return }
            _ = try await transaction.query(
                "UPDATE prompts SET deleted_at = now() WHERE id = $1",
                [.uuid(id)]
            )
            try transaction.audit(
                .promptDeleted,
                of: id,
                lock.newest,
                in: lock.team,
                by: user
            )
        }
    }

    /// The prompts of a library, ordered by name: a team's, or, for nil, the user's own.
    /// - Throws: `WireError.notFound` if the user is not in the team.
    public func list(of team: TeamID?, for user: UserID) async throws -> [LibraryPrompt] {
        if let team {
            let verdict = Permission.decide(.see, as: try await teams.role(of: user, in: team))
            if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
        }
        let rows = try await pool.query(
            """
            SELECT \(PromptSelection.columns) FROM prompts p \(PromptSelection.newest)
            WHERE p.deleted_at IS NULL AND (p.team_id = $1 OR p.owner_id = $2)
            ORDER BY lower(v.name), p.id
            """,
            [.optional(team), team == nil ? .uuid(user) : .null]
        )
        return try rows.map { try LibraryPrompt(row: $0) }
    }

    /// A prompt's versions, newest first, even if it was deleted.
    /// - Throws: `WireError.notFound` if it is in no library that the user can see.
    public func versions(
        _ request: PromptVersionsRequest,
        limit: Int,
        for user: UserID
    ) async throws -> PromptVersionsReply {
        let role = try await pool.query(
            PromptSelection.role,
            [.uuid(request.prompt), .uuid(user)]
        ).first?.optionalWord("role", as: TeamRole.self)
        let verdict = Permission.decide(.see, as: role)
        if let refusal = verdict.refusal(invisible: .noSuchPrompt) { throw refusal }
        // The page ends early if texts are long.
        let rows = try await pool.query(
            """
            SELECT v.version, v.name, v.body, u.id AS author_id, u.name AS author, v.created_at
            FROM (
                SELECT *, sum(octet_length(body)) OVER (ORDER BY version DESC)
                    - octet_length(body) AS bytes_before
                FROM (
                    SELECT * FROM prompt_versions
                    WHERE prompt_id = $1 AND ($2::integer IS NULL OR version < $2)
                    ORDER BY version DESC LIMIT $3
                ) page
            ) v LEFT JOIN users u ON u.id = v.author_id
            WHERE v.bytes_before < $4 ORDER BY v.version DESC
            """,
            [
                .uuid(request.prompt), .optional(request.before), .integer(limit),
                .integer(Self.pageByteCountMax),
            ]
        )
        let versions = try rows.map { try LibraryText(row: $0) }
        return PromptVersionsReply(versions: versions, more: (versions.last?.version ?? 1) > 1)
    }
}

/// The SQL of libraries.
enum PromptSelection {
    /// A prompt `p` as in lists, with its newest version `v` and that version's author `u`.
    static let columns = """
        p.id, p.team_id, v.name, p.version, octet_length(v.body) AS bytes, u.id AS author_id,
        u.name AS author, v.created_at
        """
    static let newest = """
        JOIN prompt_versions v ON v.prompt_id = p.id AND v.version = p.version
        LEFT JOIN users u ON u.id = v.author_id
        """
    /// The role of user `$2` in the library of prompt `$1`; in their own library that of a team's
    /// owner. Null, or no row, if they cannot see it.
    static let role = """
        SELECT CASE WHEN p.owner_id = u.id THEN 'owner' ELSE m.role END AS role
        FROM prompts p JOIN users u ON u.id = $2 AND u.disabled_at IS NULL
        LEFT JOIN team_members m ON m.team_id = p.team_id AND m.user_id = u.id
        WHERE p.id = $1
        """
}

extension LibraryPrompt {
    /// Reads a row of `PromptSelection.columns`.
    init(row: PostgresRow) throws {
        let author = try row.optionalID("author_id", of: User.self).map { id in
            User(id: id, name: try row.decode("author", as: String.self))
        }
        self.init(
            id: try row.id("id", of: LibraryPrompt.self),
            team: try row.optionalID("team_id", of: Team.self),
            name: try row.decode("name", as: String.self),
            version: Int(try row.decode("version", as: Int32.self)),
            bytes: Int(try row.decode("bytes", as: Int32.self)),
            author: author,
            updatedAt: try row.timestamp("created_at")
        )
    }
}

extension LibraryText {
    /// Reads a row of version, name, text, author and time.
    fileprivate init(row: PostgresRow) throws {
        let author = try row.optionalID("author_id", of: User.self).map { id in
            User(id: id, name: try row.decode("author", as: String.self))
        }
        self.init(
            version: Int(try row.decode("version", as: Int32.self)),
            name: try row.decode("name", as: String.self),
            text: try row.decode("body", as: String.self),
            author: author,
            createdAt: try row.timestamp("created_at")
        )
    }
}
