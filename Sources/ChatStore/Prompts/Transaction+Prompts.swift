// The steps of every change to a prompt library.
//
// Locks are taken in the order of Transaction+Teams.swift: the team's row, its members', then a
// prompt's, and only then conversations'.

import ChatCore
import ChatProtocol
import Postgres

/// The content of a version.
struct PromptText: Hashable {
    let name: String
    let body: String
}

/// A prompt whose row is locked by this transaction.
struct LockedPrompt {
    /// The team whose library contains it; nil for a user's own library.
    let team: TeamID?
    /// The newest version.
    let version: Int
    let newest: PromptText
    /// The author.
    let author: UserID?
    let isDeleted: Bool
}

extension StoreTransaction {
    /// Locks a library to add a prompt: additions are serialized, so that its limit holds.
    /// - Throws: `WireError` if the user may not change it, or cannot see the team.
    func lockLibrary(of team: TeamID?, for user: UserID) async throws {
        if let team {
            _ = try await lockTeam(team, for: user, to: .managePrompts)
        } else {
            _ = try await lockUser(user)
        }
    }

    /// Locks a prompt's row until the end of the transaction, to change it.
    /// - Throws: `WireError` if the user may not change it, or cannot see the prompt.
    func lockPrompt(_ id: PromptID, for user: UserID) async throws -> LockedPrompt {
        try await require(.managePrompts, of: user, onPrompt: id)
        let rows = try await query(
            """
            SELECT p.team_id, p.version, p.deleted_at IS NOT NULL AS is_deleted FROM prompts p
            WHERE p.id = $1 FOR NO KEY UPDATE
            """,
            [.uuid(id)]
        )
        guard let row = rows.first else { throw WireError.noSuchPrompt }
        // A separate statement: it sees what was committed while waiting for the lock.
        let texts = try await query(
            """
            SELECT name, body, author_id FROM prompt_versions
            WHERE prompt_id = $1 AND version = $2
            """,
            [.uuid(id), .int32(try row.decode("version", as: Int32.self))]
        )
        guard let newest = texts.first else { throw WireError.noSuchPrompt }
        return LockedPrompt(
            team: try row.optionalID("team_id", of: Team.self),
            version: Int(try row.decode("version", as: Int32.self)),
            newest: PromptText(
                name: try newest.decode("name", as: String.self),
                body: try newest.decode("body", as: String.self)
            ),
            author: try newest.optionalID("author_id", of: User.self),
            isDeleted: try row.decode("is_deleted", as: Bool.self)
        )
    }

    /// The library text that a conversation takes as system prompt; nil for none. The transaction
    /// must not hold locks of conversations.
    /// - Throws: `WireError.notFound` if there is no such version, or the user cannot see it.
    func libraryText(
        _ choice: LibraryChoice?,
        for user: UserID
    ) async throws -> (text: String, source: LibraryVersion)? {
        guard let choice else { return nil }
        try await require(.see, of: user, onPrompt: choice.prompt)
        let rows = try await query(
            """
            SELECT v.body, v.version, v.name
            FROM prompts p JOIN prompt_versions v
                ON v.prompt_id = p.id AND v.version = coalesce($2, p.version)
            WHERE p.id = $1 AND p.deleted_at IS NULL
            """,
            [.uuid(choice.prompt), .optional(choice.version)]
        )
        guard let row = rows.first else { throw WireError.noSuchPrompt }
        let source = LibraryVersion(
            prompt: choice.prompt,
            version: Int(try row.decode("version", as: Int32.self)),
            name: try row.decode("name", as: String.self)
        )
        return (try row.decode("body", as: String.self), source)
    }

    /// Checks whether a user may do something in a prompt's library; they cannot leave its team
    /// meanwhile.
    private func require(
        _ action: TeamAction,
        of user: UserID,
        onPrompt id: PromptID
    ) async throws {
        let rows = try await query("SELECT team_id FROM prompts WHERE id = $1", [.uuid(id)])
        if let team = try rows.first?.optionalID("team_id", of: Team.self) {
            // Locks their row in the team; their role is read below.
            _ = try await heldRole(of: user, in: team)
        }
        let role = try await query(PromptSelection.role, [.uuid(id), .uuid(user)])
            .first?.optionalWord("role", as: TeamRole.self)
        let verdict = Permission.decide(action, as: role)
        if let refusal = verdict.refusal(invisible: .noSuchPrompt) { throw refusal }
    }

    /// Inserts a version, without waiting for the result.
    func insertVersion(
        _ version: Int,
        of prompt: PromptID,
        _ text: PromptText,
        by author: User
    ) throws {
        try send(
            """
            INSERT INTO prompt_versions (prompt_id, version, name, body, author_id)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .uuid(prompt), .int32(Int32(clamping: version)), .text(text.name),
                .text(text.body), .uuid(author.id),
            ]
        )
    }

    /// A prompt as in lists.
    func prompt(_ id: PromptID) async throws -> LibraryPrompt {
        let rows = try await query(
            """
            SELECT \(PromptSelection.columns) FROM prompts p \(PromptSelection.newest)
            WHERE p.id = $1
            """,
            [.uuid(id)]
        )
        guard let row = rows.first else { throw WireError.noSuchPrompt }
        return try LibraryPrompt(row: row)
    }

    /// Adds an audit entry for a team's prompt; users' own prompts are not audited.
    func audit(
        _ action: AuditAction,
        of prompt: PromptID,
        _ text: PromptText,
        in team: TeamID?,
        by user: User
    ) throws {
        guard let team else { return }
        try audit(
            action,
            by: Actor(user),
            team: team,
            object: prompt.description,
            detail: ["name": text.name]
        )
    }
}
