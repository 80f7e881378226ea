// Prompts of libraries, as an import writes them.

import ChatProtocol
import Postgres
import Transfers

/// A prompt that has one of the identifiers that an import may give.
struct FoundPrompt {
    let id: PromptID
    /// Whether it is in its library; else it was deleted, or its import was cut off.
    let isShown: Bool
    /// Whether the import may take it for its own.
    let isImporters: Bool
}

extension TransferStore {
    /// The prompts that have one of some identifiers.
    /// - Parameters:
    ///   - ids: the identifiers.
    ///   - user: into whose account the import goes; nil for everybody's.
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

    /// Makes a prompt's row, which counts as deleted until all of its versions are there.
    func addHiddenPrompt(_ id: PromptID, team: TeamID?, owner: UserID?) async throws {
        _ = try await pool.query(
            "INSERT INTO prompts (id, team_id, owner_id, deleted_at) VALUES ($1, $2, $3, now())",
            [.uuid(id), .optional(team), .optional(owner)]
        )
    }

    /// Adds a version to a prompt.
    /// - Returns: whether the database takes its values.
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
            // Not data that fits no column or breaks a constraint: that is everybody's trouble.
            guard case .server(let refusal) = error, refusal.isCausedByValues else { throw error }
            return false
        }
    }

    /// Puts a hidden prompt into its library.
    /// - Returns: false where that is full.
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

    /// Removes what an import has written of a prompt that is not whole.
    func dropHidden(_ id: PromptID) async throws {
        _ = try await pool.query(
            "DELETE FROM prompts WHERE id = $1 AND deleted_at IS NOT NULL",
            [.uuid(id)]
        )
    }
}
