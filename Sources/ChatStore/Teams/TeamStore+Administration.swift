// Teams for administrators.

public import ChatProtocol
import Postgres

extension TeamStore {
    /// A page of all teams, ordered by name.
    /// - Parameters:
    ///   - request: the filter, and the cursor of the previous page.
    ///   - limit: maximum teams.
    /// - Returns: the page.
    /// - Throws: `PostgresError`.
    public func serverTeams(
        _ request: ServerTeamsRequest,
        limit: Int
    ) async throws -> ServerTeamsReply {
        // Except teams without members, which are being erased.
        let rows = try await pool.query(
            """
            SELECT t.id, t.name, t.created_at, t.retention_days, b.daily, b.monthly,
                (SELECT count(*) FROM team_members m WHERE m.team_id = t.id) AS members
            FROM teams t LEFT JOIN budgets b ON b.team_id = t.id
            WHERE lower(t.name) > lower($1) AND position(lower($2) IN lower(t.name)) > 0
                AND NOT EXISTS (
                    SELECT FROM team_members m JOIN users u ON u.id = m.user_id
                    WHERE m.team_id = t.id AND u.deleted_at IS NOT NULL)
            ORDER BY lower(t.name) LIMIT $3
            """,
            [.text(request.cursor ?? ""), .text(request.query ?? ""), .integer(limit + 1)]
        )
        let teams = try rows.prefix(limit).map { try ServerTeam(row: $0) }
        return ServerTeamsReply(
            teams: teams,
            cursor: rows.count > limit ? teams.last?.name : nil
        )
    }

    /// A team and a page of its members, ordered by name.
    /// - Parameters:
    ///   - request: the team, and the cursor of the previous page.
    ///   - limit: maximum members.
    /// - Returns: the page; the team has no role of a reader.
    /// - Throws: `WireError.notFound` if there is no such team.
    public func serverTeam(_ request: TeamPageRequest, limit: Int) async throws -> TeamGetReply {
        let teams = try await pool.query(
            "SELECT name, retention_days FROM teams WHERE id = $1",
            [.uuid(request.team)]
        )
        guard let row = teams.first else { throw WireError.noTeam }
        let team = Team(
            id: request.team,
            name: try row.decode("name", as: String.self),
            retentionDays: try row.decode("retention_days", as: Int32?.self).map(Int.init)
        )
        return try await members(of: team, request, limit: limit)
    }
}

extension WireError {
    /// For administrators, who see all teams: the team does not exist.
    static let noTeam = WireError(.notFound, "no team of this server has that id")
}

extension ServerTeam {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: Team.self),
            name: try row.decode("name", as: String.self),
            createdAt: try row.timestamp("created_at"),
            members: Int(try row.decode("members", as: Int64.self)),
            retentionDays: try row.decode("retention_days", as: Int32?.self).map(Int.init),
            daily: try row.decode("daily", as: Int64?.self),
            monthly: try row.decode("monthly", as: Int64?.self)
        )
    }
}
