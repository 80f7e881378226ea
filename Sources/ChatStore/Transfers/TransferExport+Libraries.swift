// Libraries of prompts in an export: those that belong to its scope, each prompt with its versions.

import ChatProtocol
import Postgres
import Transfers

/// Where a page of libraries ends.
struct PromptVersionKey {
    let prompt: PromptID
    let version: Int
}

/// Some versions of libraries' prompts.
struct LibraryPage {
    /// The versions, the first one of each prompt behind its prompt.
    var records: [TransferRecord] = []
    /// Whose they are, and who wrote them.
    var users: [UserRecord] = []
    /// The last version; nil where there is none.
    var last: PromptVersionKey?
}

extension TransferExport {
    /// Texts may be long: a few versions a page.
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
                SELECT p.id, p.team_id, o.id, v.version, v.name, v.body, a.id,
                    \(Self.milliseconds("v.created_at")), o.name, a.name
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
            id: try row.id(0, of: LibraryPrompt.self),
            team: try row.optionalID(1, of: Team.self),
            owner: try row.optionalID(2, of: User.self)
        )
        let version = PromptVersionRecord(
            prompt: prompt.id,
            version: try row.decode(3, as: Int.self),
            name: try row.decode(4, as: String.self),
            text: try row.decode(5, as: String.self),
            author: try row.optionalID(6, of: User.self),
            createdAt: try row.milliseconds(7)
        )
        if last?.prompt != prompt.id { records.append(.prompt(prompt)) }
        records.append(.promptVersion(version))
        last = PromptVersionKey(prompt: prompt.id, version: version.version)
        if let owner = prompt.owner {
            users.append(UserRecord(id: owner, name: try row.decode(8, as: String.self)))
        }
        if let author = version.author {
            users.append(UserRecord(id: author, name: try row.decode(9, as: String.self)))
        }
    }
}
