// Token budgets of users and teams.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// The part of a statement that reads the budgets that apply to an answer.
enum BudgetSelection {
    /// The time, the conversation's team, and the columns that `PostgresRow.budgetAccounts` reads;
    /// `b` is a call of the SQL function `budget_accounts`.
    static let columns = """
        b.at, b.team, b.user_daily, b.user_monthly, b.user_used_today, b.user_used_this_month,
            b.user_reserved_today, b.user_reserved_this_month, b.team_daily, b.team_monthly,
            b.team_used_today, b.team_used_this_month, b.team_reserved_today,
            b.team_reserved_this_month
        """
}

extension PostgresRow {
    /// Reads the accounts with limits.
    /// - Parameter defaults: the budget of users without one of their own.
    /// - Returns: the user's and the team's account, if they are limited.
    /// - Throws: `PostgresError`.
    func budgetAccounts(otherwise defaults: TokenBudget) throws -> [BudgetAccount] {
        let user = TokenBudget(
            daily: try decode("user_daily", as: Int64?.self),
            monthly: try decode("user_monthly", as: Int64?.self)
        )
        let team = TokenBudget(
            daily: try decode("team_daily", as: Int64?.self),
            monthly: try decode("team_monthly", as: Int64?.self)
        )
        let accounts = [
            BudgetAccount(
                holder: .user,
                budget: user.otherwise(defaults),
                today: try count("user_used_today", "user_reserved_today"),
                thisMonth: try count("user_used_this_month", "user_reserved_this_month")
            ),
            BudgetAccount(
                holder: .team,
                budget: team,
                today: try count("team_used_today", "team_reserved_today"),
                thisMonth: try count("team_used_this_month", "team_reserved_this_month")
            ),
        ]
        return accounts.filter { $0.budget != .unlimited }
    }

    private func count(_ used: StaticString, _ reserved: StaticString) throws -> TokenCount {
        TokenCount(
            used: try decode(used, as: Int64?.self) ?? 0,
            reserved: try decode(reserved, as: Int64?.self) ?? 0
        )
    }
}

/// The user or team that a budget belongs to.
public enum BudgetOwner: Sendable, Hashable {
    /// A user.
    case user(UserID)
    /// A team.
    case team(TeamID)

    fileprivate var uuid: UUID {
        switch self {
        case .user(let id): id.uuid
        case .team(let id): id.uuid
        }
    }

    /// The column with its id in the tables of budgets, usage and the queue.
    fileprivate var column: String {
        switch self {
        case .user: "user_id"
        case .team: "team_id"
        }
    }
}

extension LedgerStore {
    /// Sets the budget of a user or a team, from the next question on.
    /// - Parameters:
    ///   - budget: the budget; without limits, a user gets the server's default, and a team none.
    ///   - owner: the user or team.
    ///   - actor: the administrator or owner who sets it.
    /// - Throws: `WireError.notFound` if there is no such user or team.
    public func setBudget(
        _ budget: TokenBudget,
        of owner: BudgetOwner,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            // Prevents deletion of the user or team until the commit.
            let lock =
                if case .user = owner {
                    "SELECT FROM users WHERE id = $1 AND deleted_at IS NULL FOR SHARE"
                } else {
                    "SELECT FROM teams WHERE id = $1 FOR KEY SHARE"
                }
            let known = try await transaction.query(lock, [.uuid(owner.uuid)])
            guard !known.isEmpty else { throw owner.unknown }
            if budget == .unlimited {
                try transaction.send(
                    "DELETE FROM budgets WHERE \(owner.column) = $1",
                    [.uuid(owner.uuid)]
                )
            } else {
                try transaction.send(
                    """
                    INSERT INTO budgets (\(owner.column), daily, monthly) VALUES ($1, $2, $3)
                    ON CONFLICT (\(owner.column))
                    DO UPDATE SET daily = excluded.daily, monthly = excluded.monthly
                    """,
                    [.uuid(owner.uuid), .int64(budget.daily), .int64(budget.monthly)]
                )
            }
            try transaction.audit(
                .budgetSet,
                by: actor,
                team: owner.team,
                object: owner.uuid.uuidString.lowercased(),
                detail: [
                    "daily": budget.daily.map { "\($0)" } ?? "none",
                    "monthly": budget.monthly.map { "\($0)" } ?? "none",
                ]
            )
        }
    }

    /// The tokens that a user or a team has used and reserved today and this month, with the
    /// limits.
    /// - Parameters:
    ///   - owner: the user or team.
    ///   - defaults: the budget of users without one of their own.
    /// - Returns: the figures.
    /// - Throws: `WireError.notFound` if there is no such user or team.
    public func usage(
        of owner: BudgetOwner,
        otherwise defaults: TokenBudget
    ) async throws -> UsageGetReply {
        let isUser = if case .user = owner { true } else { false }
        let counts = isUser ? "usage_days" : "team_usage_days"
        let rows = try await pool.query(
            """
            WITH today AS (
                SELECT (now() AT TIME ZONE 'UTC')::date AS day
            ), counted AS (
                SELECT day, used, 0 AS reserved FROM \(counts) WHERE \(owner.column) = $1
                UNION ALL
                SELECT asked_on, 0, reserved FROM generations WHERE \(owner.column) = $1
            ), sums AS (
                SELECT sum(used) FILTER (WHERE c.day = t.day) AS used_today, sum(used) AS used,
                    sum(reserved) FILTER (WHERE c.day = t.day) AS reserved_today,
                    sum(reserved) AS reserved
                FROM today t LEFT JOIN counted c ON c.day >= date_trunc('month', t.day)
            )
            SELECT now() AS now, b.daily, b.monthly, coalesce(used_today, 0)::bigint AS used_today,
                coalesce(reserved_today, 0)::bigint AS reserved_today,
                coalesce(used, 0)::bigint AS used, coalesce(reserved, 0)::bigint AS reserved
            FROM \(isUser ? "users" : "teams") o CROSS JOIN sums
            LEFT JOIN budgets b ON b.\(owner.column) = o.id
            WHERE o.id = $1
            """,
            [.uuid(owner.uuid)]
        )
        guard let row = rows.first else { throw owner.unknown }
        let now = try row.timestamp("now")
        var budget = TokenBudget(
            daily: try row.decode("daily", as: Int64?.self),
            monthly: try row.decode("monthly", as: Int64?.self)
        )
        if isUser { budget = budget.otherwise(defaults) }
        return UsageGetReply(
            day: TokenUse(
                used: try row.decode("used_today", as: Int64.self),
                reserved: try row.decode("reserved_today", as: Int64.self),
                limit: budget.daily,
                resetsAt: BudgetPeriod.day.next(after: now)
            ),
            month: TokenUse(
                used: try row.decode("used", as: Int64.self),
                reserved: try row.decode("reserved", as: Int64.self),
                limit: budget.monthly,
                resetsAt: BudgetPeriod.month.next(after: now)
            )
        )
    }
}

extension BudgetOwner {
    fileprivate var unknown: WireError {
        switch self {
        case .user: WireError(.notFound, "there is no such user")
        case .team: .noSuchTeam
        }
    }

    fileprivate var team: TeamID? {
        if case .team(let id) = self { id } else { nil }
    }
}
