// Operations on token usage and budgets.

extension Operation {
    /// Gets the tokens used, reserved and allowed this day and this month.
    public static var usageGet: Operation<UsageGetRequest, UsageGetReply> {
        .init(
            "usage.get",
            // Users may see their own; a team's requires `TeamAction.audit`, others'
            // `ServerAction.audit`.
            requires: .signedIn,
            allowed: """
                signed in; others' administrators; a team's its owners and admins, administrators
                """,
            scope: .read,
            takes: "`user?` or `team?`",
            replies: """
                `{day, month}`, each `{used, reserved, limit?, resets_at}` in tokens, of this day \
                and this month (UTC): the user's own, another user's, or a team's
                """,
            examples: [
                UsageGetRequest(),
                UsageGetRequest(user: .example(8)),
                UsageGetRequest(team: .example(12)),
            ]
        )
    }

    /// Lists the tokens used per user and day.
    public static var usageList: Operation<UsageListRequest, UsageListReply> {
        .init(
            "usage.list",
            // Users may see their own; a team's requires `TeamAction.audit`, others'
            // `ServerAction.audit`.
            requires: .signedIn,
            allowed: "signed in; of a team its owners and admins, administrators",
            scope: .read,
            takes: "`team?`, `from?`, `to?` (days), `cursor?`, `limit?`",
            replies: """
                `{days:[{day, user?, name?, used, answers}], cursor?}`: tokens used per user and \
                day; an entry without `user` is the server's own work. Without `team`: everyone's \
                for administrators, one's own for others
                """,
            examples: [
                UsageListRequest(),
                UsageListRequest(
                    team: .example(12),
                    from: "2026-11-01",
                    to: "2026-11-30",
                    cursor: "2026-11-21_01890a5d-ac96-7008-8000-000000000008",
                    limit: 40
                ),
            ]
        )
    }

    /// Sets the token budget of a user or a team.
    public static var budgetSet: Operation<BudgetSetRequest, EmptyReply> {
        .init(
            "budget.set",
            requires: .server(.manageTeams),
            scope: .administer,
            takes: "`user` or `team` (ids), `daily?`, `monthly?`",
            replies: """
                `{}`; without a limit: the server's default for a user, none for a team; takes \
                effect with the next question
                """,
            examples: [
                BudgetSetRequest(user: .example(8), daily: 50_000, monthly: 1_000_000),
                BudgetSetRequest(team: .example(12)),
            ]
        )
    }
}

extension OperationDefinition {
    static let usage: [OperationDefinition] = [
        .init(.usageGet),
        .init(.usageList),
        .init(.budgetSet),
    ]
}

// MARK: Requests and replies

/// `usage.get`: tokens used, reserved and allowed in a day and a month; the user's own by default.
public struct UsageGetRequest: Codable, Sendable {
    /// Another user; for administrators.
    public var user: UserID?
    /// A team; for members who may read its usage.
    public var team: TeamID?

    /// Creates a request.
    public init(user: UserID? = nil, team: TeamID? = nil) {
        self.user = user
        self.team = team
    }
}

/// The reply of `usage.get`.
public struct UsageGetReply: Codable, Hashable, Sendable {
    /// This day's tokens.
    public var day: TokenUse
    /// This month's tokens, including this day's.
    public var month: TokenUse

    /// Creates a reply.
    public init(day: TokenUse, month: TokenUse) {
        self.day = day
        self.month = month
    }
}

/// `usage.list`: tokens per user and day. Without a team, of the whole server for administrators,
/// and the user's own for others.
public struct UsageListRequest: Codable, Sendable {
    /// Only usage in this team's conversations.
    public var team: TeamID?
    /// The first day (UTC), as `2026-11-22`; absent for no limit.
    public var from: String?
    /// The last day; absent for no limit.
    public var to: String?
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?

    /// Creates a request.
    public init(
        team: TeamID? = nil,
        from: String? = nil,
        to: String? = nil,
        cursor: String? = nil,
        limit: Int? = nil
    ) {
        self.team = team
        self.from = from
        self.to = to
        self.cursor = cursor
        self.limit = limit
    }
}

/// A user's usage on a day.
public struct UsageDay: Codable, Hashable, Sendable {
    /// The day (UTC), as `2026-11-22`.
    public var day: String
    /// The user; nil for the server's own work.
    public var user: UserID?
    /// The user's name; nil if the account was deleted.
    public var name: String?
    /// Tokens used.
    public var used: Int64
    /// Number of answers that used them.
    public var answers: Int64

    /// Creates an entry.
    public init(day: String, user: UserID?, name: String?, used: Int64, answers: Int64) {
        self.day = day
        self.user = user
        self.name = name
        self.used = used
        self.answers = answers
    }
}

/// The reply of `usage.list`: usage by day.
public struct UsageListReply: Codable, Sendable {
    /// The page.
    public var days: [UsageDay]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(days: [UsageDay], cursor: String? = nil) {
        self.days = days
        self.cursor = cursor
    }
}

/// `budget.set`: sets the token budget of a user or a team. An absent limit means no limit for a
/// team, and the server's default for a user.
public struct BudgetSetRequest: Codable, Sendable {
    /// The user; either this or `team`.
    public var user: UserID?
    /// The team; either this or `user`.
    public var team: TeamID?
    /// Maximum tokens per day.
    public var daily: Int64?
    /// Maximum tokens per calendar month.
    public var monthly: Int64?

    /// Creates a request.
    public init(
        user: UserID? = nil,
        team: TeamID? = nil,
        daily: Int64? = nil,
        monthly: Int64? = nil
    ) {
        self.user = user
        self.team = team
        self.daily = daily
        self.monthly = monthly
    }
}
