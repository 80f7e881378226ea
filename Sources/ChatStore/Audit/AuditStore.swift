// Reads the audit log.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// The audit log. Each entry is written in the transaction of its action.
public struct AuditStore {
    let pool: StorePool

    /// A page of the audit log, newest first. The caller checks the permission.
    /// - Parameters:
    ///   - request: the filters, and the cursor of the previous page.
    ///   - limit: maximum entries.
    /// - Returns: the page.
    /// - Throws: `WireError.badRequest` if the cursor is invalid.
    public func entries(
        _ request: AuditListRequest,
        limit: Int
    ) async throws -> AuditListReply {
        var filter = AuditFilter()
        if let text = request.cursor {
            guard let cursor = Int64(text) else {
                throw WireError(.badRequest, "invalid cursor: list again without one")
            }
            filter.add("id < $", .int64(cursor))
        }
        if let team = request.team { filter.add("team_id = $", .uuid(team)) }
        if let actor = request.actor {
            if let id = try await actorID(actor) {
                filter.add("actor_id = $", .uuid(id))
            } else {
                // An actor who was renamed, or is not a user, is found by the name alone.
                filter.add("lower(actor_name) = lower($)", .text(actor))
            }
        }
        if let action = request.action {
            filter.add("(action = $ OR starts_with(action, $ || '.'))", .text(action))
        }
        if let from = request.from { filter.add("at >= $", .date(from.date)) }
        if let to = request.to { filter.add("at < $", .date(to.date)) }
        let rows = try await pool.query(
            """
            SELECT id, at, actor_id, actor_name, action, team_id, object, detail::text
            FROM audit_log \(filter.condition) ORDER BY id DESC LIMIT \(limit + 1)
            """,
            filter.values
        )
        let entries = try rows.prefix(limit).map { row in
            AuditEntry(
                id: try row.decode("id", as: Int64.self),
                at: try row.timestamp("at"),
                actor: AuditActor(
                    id: try row.optionalID("actor_id", of: User.self),
                    name: try row.decode("actor_name", as: String.self)
                ),
                action: try row.decode("action", as: String.self),
                team: try row.optionalID("team_id", of: Team.self),
                object: try row.decode("object", as: String.self),
                // Another version may have written another form: the entry is more important.
                detail: try? row.json("detail", as: [String: String].self)
            )
        }
        return AuditListReply(
            entries: entries,
            cursor: rows.count > limit ? entries.last.map { "\($0.id)" } : nil
        )
    }

    /// The text as an id, or the id of the user with that name.
    private func actorID(_ text: String) async throws -> UserID? {
        if let id = UserID(text) { return id }
        let rows = try await pool.query(
            "SELECT id FROM users WHERE lower(name) = lower($1) AND deleted_at IS NULL",
            [.text(text)]
        )
        return try rows.first?.id("id", of: User.self)
    }
}

/// Conditions joined by AND, with their parameters.
private struct AuditFilter {
    private var conditions: [String] = []
    private(set) var values: [PostgresValue] = []

    /// Adds a condition in which each `$` stands for the value.
    mutating func add(_ condition: String, _ value: PostgresValue) {
        values.append(value)
        let parameter = "$\(values.count)"
        conditions.append(
            condition.split(separator: "$", omittingEmptySubsequences: false)
                .joined(separator: parameter)
        )
    }

    var condition: String {
        conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
    }
}
