// Library prompts for imports.

import ChatProtocol
import Postgres
import Transfers

/// An existing prompt with an id that an import may use.
struct FoundPrompt {
    let id: PromptID
    /// Whether it is in its library; otherwise it was deleted, or its import was interrupted.
    let isShown: Bool
    /// Whether the import may use it as its own.
    let isImporters: Bool
}

extension TransferStore {
    /// Existing prompts with one of some ids.
    /// - Parameters:
    ///   - ids: the ids.
    ///   - user: the account to import into; nil for an import of everything.
    /// - Returns: the prompts.
    /// - Throws: `PostgresError`.
    func prompts(_ ids: [PromptID], of user: UserID?) async throws -> [FoundPrompt] {
        let rows = try await pool.query(
            """
            SELECT id, deleted_at IS NULL AS is_there,
                $2::uuid IS NULL OR owner_id IS NOT DISTINCT FROM $2 AS is_own
            FROM prompts WHERE id = ANY ($1)
            """,
            [.uuidArray(ids.map(\.uuid)), .optional(user)]
        )
        return try rows.map { row in
            FoundPrompt(
                id: try row.id("id", of: LibraryPrompt.self),
                isShown: try row.decode("is_there", as: Bool.self),
                isImporters: try row.decode("is_own", as: Bool.self)
            )
        }
    }

    /// Inserts a prompt's row, marked as deleted until all of its versions are imported.
    func addHiddenPrompt(_ id: PromptID, team: TeamID?, owner: UserID?) async throws {
        _ = try await pool.query(
            "INSERT INTO prompts (id, team_id, owner_id, deleted_at) VALUES ($1, $2, $3, now())",
            [.uuid(id), .optional(team), .optional(owner)]
        )
    }

    /// Adds a version to a prompt.
    /// - Returns: whether the database accepts its values.
    func add(
        _ version: PromptVersionRecord,
        named name: String,
        _ text: String,
        by author: UserID?,
        to target: PromptID
    ) async throws -> Bool {
        do {
            _ = try await pool.query(
                """
                INSERT INTO prompt_versions
                    (prompt_id, version, name, body, author_id, created_at)
                VALUES ($1, $2, $3, $4, $5, \(Self.time("$6")))
                ON CONFLICT (prompt_id, version) DO NOTHING
                """,
                [
                    .uuid(target), .int32(Int32(clamping: version.version)),
                    .text(name), .text(text), .optional(author),
                    .int64(version.createdAt.milliseconds),
                ]
            )
            return true
        } catch {
            // Any error but a data or constraint error is a failure of the database, not of the
            // record.
            guard case .server(let refusal) = error, refusal.isCausedByValues else { throw error }
            return false
        }
    }

    /// Makes a hidden prompt visible in its library.
    /// - Returns: false if the library is full.
    func showPrompt(_ id: PromptID) async throws -> Bool {
        let shown = try await pool.query(
            """
            UPDATE prompts p SET deleted_at = NULL, version = (
                SELECT max(version) FROM prompt_versions WHERE prompt_id = p.id
            )
            WHERE p.id = $1 AND $2 > (
                SELECT count(*) FROM prompts o
                WHERE o.deleted_at IS NULL AND (o.team_id = p.team_id OR o.owner_id = p.owner_id)
            )
            """,
            [.uuid(id), .integer(PromptStore.promptsMax)]
        )
        return shown.affectedRowCount == 1
    }

    /// Deletes what an import has written of an incomplete prompt.
    func dropHidden(_ id: PromptID) async throws {
        _ = try await pool.query(
            "DELETE FROM prompts WHERE id = $1 AND deleted_at IS NOT NULL",
            [.uuid(id)]
        )
    }
}
