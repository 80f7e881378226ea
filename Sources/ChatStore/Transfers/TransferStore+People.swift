// Users, teams, and the server's system prompts for imports.

import ChatProtocol
import Postgres
import Transfers

extension TransferStore {
    /// Existing users with the id or the name of one of some users.
    /// - Returns: their ids, and their names in lower case.
    func users(like users: [UserRecord]) async throws -> [(id: UserID, name: String)] {
        let rows = try await pool.query(
            """
            SELECT id, lower(name) AS name FROM users
            WHERE id = ANY ($1) OR lower(name) = ANY ($2) AND deleted_at IS NULL
            """,
            [.uuidArray(users.map(\.id.uuid)), .textArray(users.map { $0.name.lowercased() })]
        )
        return try rows.map { row in
            (try row.id("id", of: User.self), try row.decode("name", as: String.self))
        }
    }

    /// Whether a user was deleted.
    func isDeleted(_ user: UserID) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT FROM users WHERE id = $1 AND deleted_at IS NOT NULL",
            [.uuid(user)]
        )
        return !rows.isEmpty
    }

    /// Adds a user, disabled and without a password.
    /// - Returns: whether the id and the name were free.
    func add(_ user: UserRecord) async throws -> Bool {
        // No password has this hash.
        let rows = try await pool.query(
            """
            INSERT INTO users (id, name, password_hash, disabled_at) VALUES ($1, $2, 'none', now())
            ON CONFLICT DO NOTHING
            """,
            [.uuid(user.id), .text(user.name)]
        )
        return rows.affectedRowCount == 1
    }

    /// Whether a team exists.
    func hasTeam(_ team: TeamID) async throws -> Bool {
        let rows = try await pool.query("SELECT FROM teams WHERE id = $1", [.uuid(team)])
        return !rows.isEmpty
    }

    /// Whether a team exists, and whether its name is taken, by itself or another.
    func find(
        _ team: TeamID,
        named name: String
    ) async throws -> (isThere: Bool, isNameTaken: Bool) {
        let rows = try await pool.query(
            "SELECT id = $1 FROM teams WHERE id = $1 OR lower(name) = lower($2)",
            [.uuid(team), .text(name)]
        )
        return (try rows.contains { try $0.decode(as: Bool.self) }, !rows.isEmpty)
    }

    /// Adds a team.
    func add(_ team: TeamRecord, named name: String) async throws {
        _ = try await pool.query(
            """
            INSERT INTO teams (id, name, created_at) VALUES ($1, $2, \(Self.time("$3")))
            ON CONFLICT DO NOTHING
            """,
            [.uuid(team.id), .text(name), .int64(team.createdAt.milliseconds)]
        )
    }

    /// Adds a member to a team, and the change to their list.
    func add(_ member: TeamMemberRecord) async throws {
        _ = try await pool.query(
            """
            WITH added AS (
                INSERT INTO team_members (team_id, user_id, role, joined_at)
                SELECT $1, id, $3, \(Self.time("$4")) FROM users
                WHERE id = $2 AND deleted_at IS NULL ON CONFLICT DO NOTHING
                RETURNING user_id
            ), \(ListNumbers.next(of: "SELECT user_id FROM added"))
            INSERT INTO team_changes (user_id, team_id, u) SELECT user_id, $1, u FROM counted
            ON CONFLICT (user_id, team_id) DO UPDATE SET u = excluded.u
            """,
            [
                .uuid(member.team), .uuid(member.user), .text(member.role.rawValue),
                .int64(member.joinedAt.milliseconds),
            ]
        )
    }

    /// Whether the server has a version of its system prompt with this text.
    /// - Returns: false if that version has another text; nil if there is no such version.
    func hasServerPrompt(_ version: Int, _ text: String) async throws -> Bool? {
        let rows = try await pool.query(
            """
            SELECT body = $2 FROM system_prompts WHERE conversation_id IS NULL AND version = $1
            """,
            [.int32(Int32(clamping: version)), .text(text)]
        )
        return try rows.first?.decode(as: Bool.self)
    }

    /// Adds a version of the server's system prompt, if the number is free.
    func addServerPrompt(_ prompt: SystemPromptRecord, _ text: String) async throws {
        _ = try await pool.query(
            """
            INSERT INTO system_prompts (id, version, body, created_at)
            VALUES ($1, $2, $3, \(Self.time("$4"))) ON CONFLICT DO NOTHING
            """,
            [
                .uuid(prompt.id), .int32(Int32(clamping: prompt.version)), .text(text),
                .int64(prompt.createdAt.milliseconds),
            ]
        )
    }
}
