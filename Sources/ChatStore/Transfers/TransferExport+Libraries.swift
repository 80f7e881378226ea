// Exports prompt libraries: those in the scope, each prompt with its versions.

import ChatProtocol
import Postgres
import Transfers

/// The end of a page of libraries.
struct PromptVersionKey {
    let prompt: PromptID
    let version: Int
}

/// A page of library prompts' versions.
struct LibraryPage {
    /// The versions, each prompt before its first version.
    var records: [TransferRecord] = []
    /// Owners and authors.
    var users: [UserRecord] = []
    /// The last version; nil if there is none.
    var last: PromptVersionKey?
}

extension TransferExport {
    /// A few versions per page, as texts may be long.
    func libraryPage(after: PromptVersionKey?) async throws -> LibraryPage {
        let condition: String
        switch scope {
        case .conversation: return LibraryPage()
        case .user: condition = "p.owner_id = $3"
        case .team: condition = "p.team_id = $3"
        case .everything: condition = "$3::uuid IS NULL"
        }
        let values: [PostgresValue] = [
            .optional(after?.prompt), .optional(after?.version), scopeID,
        ]
        let rows = try await page { transaction in
            try await transaction.query(
                """
                SELECT p.id, p.team_id, o.id AS owner_id, o.name AS owner, v.version, v.name, v.body,
                    a.id AS author_id, a.name AS author,
                    \(Self.milliseconds("v.created_at")) AS created_at
                FROM prompts p JOIN prompt_versions v ON v.prompt_id = p.id
                LEFT JOIN users o ON o.id = p.owner_id
                LEFT JOIN users a ON a.id = v.author_id AND a.deleted_at IS NULL
                WHERE p.deleted_at IS NULL AND \(condition)
                    AND ($1::uuid IS NULL OR (v.prompt_id, v.version) > ($1, $2::integer))
                ORDER BY v.prompt_id, v.version LIMIT 4
                """,
                values
            )
        }
        var found = LibraryPage(last: rows.isEmpty ? nil : after)
        for row in rows { try found.add(row) }
        return found
    }
}

extension LibraryPage {
    /// Adds a row of the query above.
    fileprivate mutating func add(_ row: PostgresRow) throws {
        let prompt = PromptRecord(
            id: try row.id("id", of: LibraryPrompt.self),
            team: try row.optionalID("team_id", of: Team.self),
            owner: try row.optionalID("owner_id", of: User.self)
        )
        let version = PromptVersionRecord(
            prompt: prompt.id,
            version: try row.decode("version", as: Int.self),
            name: try row.decode("name", as: String.self),
            text: try row.decode("body", as: String.self),
            author: try row.optionalID("author_id", of: User.self),
            createdAt: try row.milliseconds("created_at")
        )
        if last?.prompt != prompt.id { records.append(.prompt(prompt)) }
        records.append(.promptVersion(version))
        last = PromptVersionKey(prompt: prompt.id, version: version.version)
        if let owner = prompt.owner {
            users.append(UserRecord(id: owner, name: try row.decode("owner", as: String.self)))
        }
        if let author = version.author {
            users.append(UserRecord(id: author, name: try row.decode("author", as: String.self)))
        }
    }
}
