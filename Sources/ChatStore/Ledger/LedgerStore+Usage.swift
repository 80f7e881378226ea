// Tokens used by day and user.

import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

extension LedgerStore {
    /// Requires the right to see what a team's members used.
    /// - Throws: `WireError.forbidden` without the right; `.notFound` if the user is not in the
    ///   team.
    public func requireAudit(of team: TeamID, by user: UserID) async throws {
        let rows = try await pool.query(
            """
            SELECT t.role FROM team_members t
            JOIN users u ON u.id = t.user_id AND u.disabled_at IS NULL
            WHERE t.team_id = $1 AND t.user_id = $2
            """,
            [.uuid(team), .uuid(user)]
        )
        let role = try rows.first?.word("role", as: TeamRole.self)
        let verdict = Permission.decide(TeamAction.audit, as: role)
        if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
    }

    /// A page of tokens used, by day and user.
    /// - Parameters:
    ///   - request: the days, and the team.
    ///   - user: the user; nil for all users and the server.
    ///   - limit: maximum entries.
    /// - Returns: the page, ordered by day; in each day, the server's own use comes first.
    /// - Throws: `WireError.badRequest` if a day or the cursor is invalid.
    public func usage(
        _ request: UsageListRequest,
        of user: UserID? = nil,
        limit: Int
    ) async throws -> UsageListReply {
        let cursor = try request.cursor.map { try UsageCursor($0) }
        let days = [request.from, request.to].compactMap { $0 }
        guard days.allSatisfy(\.isDay) else {
            throw WireError(.badRequest, "from and to must be days, such as 2026-11-22")
        }
        let nobody = "'00000000-0000-0000-0000-000000000000'::uuid"
        let rows = try await pool.query(
            """
            SELECT d.day::text, d.user_id, u.name, sum(d.used)::bigint AS used,
                sum(d.answers)::bigint AS answers
            FROM usage_days d LEFT JOIN users u ON u.id = d.user_id AND u.deleted_at IS NULL
            WHERE d.day >= coalesce($1::date, '-infinity')
                AND d.day <= coalesce($2::date, 'infinity')
                AND (d.day, coalesce(d.user_id, \(nobody)))
                    > (coalesce($3::date, '-infinity'), coalesce($4::uuid, \(nobody)))
                AND \(request.team == nil ? "$5::uuid IS NULL" : "d.team_id = $5")
                AND \(user == nil ? "$6::uuid IS NULL" : "d.user_id = $6")
            GROUP BY d.day, d.user_id, u.name
            ORDER BY d.day, coalesce(d.user_id, \(nobody)) LIMIT $7
            """,
            [
                .text(request.from), .text(request.to), .text(cursor?.day),
                .uuid(cursor?.user), .optional(request.team), .optional(user),
                .int64(Int64(limit) + 1),
            ]
        )
        let entries = try rows.prefix(limit).map { row in
            UsageDay(
                day: try row.decode("day", as: String.self),
                user: try row.optionalID("user_id", of: User.self),
                name: try row.decode("name", as: String?.self),
                used: try row.decode("used", as: Int64.self),
                answers: try row.decode("answers", as: Int64.self)
            )
        }
        let next = rows.count > limit ? entries.last.map { "\(UsageCursor($0))" } : nil
        return UsageListReply(days: Array(entries), cursor: next)
    }
}

/// The last entry of a page.
private struct UsageCursor: CustomStringConvertible {
    let day: String
    let user: UUID?

    init(_ text: String) throws(WireError) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].isDay,
            parts[1].isEmpty || UUID(uuidString: parts[1]) != nil
        else { throw WireError(.badRequest, "invalid cursor: list again without one") }
        day = parts[0]
        user = UUID(uuidString: parts[1])
    }

    init(_ entry: UsageDay) {
        day = entry.day
        user = entry.user?.uuid
    }

    var description: String { "\(day)_\(user?.uuidString.lowercased() ?? "")" }
}

extension String {
    /// Whether the text is a valid day, such as `2026-11-22`.
    fileprivate var isDay: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, utf8.count == 10, utf8.allSatisfy({ $0 == 45 || (48...57) ~= $0 }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return year > 0 && (1...12) ~= month && (1...lengths[month - 1]) ~= day
    }
}
