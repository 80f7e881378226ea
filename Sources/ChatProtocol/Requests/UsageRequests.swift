// What the operations on usage and budgets take and answer.

/// `usage.get`: what of a day and a month is used, reserved and allowed. Without a field, the asker's own.
public struct UsageGetRequest: Codable, Sendable {
    /// Another user's, for administrators.
    public var user: UserID?
    /// A team's, for those who may see what its members used.
    public var team: TeamID?

    /// Puts a request together.
    public init(user: UserID? = nil, team: TeamID? = nil) {
        self.user = user
        self.team = team
    }
}

/// The reply of `usage.get`.
public struct UsageGetReply: Codable, Hashable, Sendable {
    /// This day's.
    public var day: TokenUse
    /// This month's, the day's included.
    public var month: TokenUse

    /// Puts a reply together.
    public init(day: TokenUse, month: TokenUse) {
        self.day = day
        self.month = month
    }
}

/// `usage.list`: who used how much on which day. Without a team, of the whole server for
/// administrators, and the asker's own for others.
public struct UsageListRequest: Codable, Sendable {
    /// Of this team's conversations alone.
    public var team: TeamID?
    /// The first day (UTC), as `2026-11-22`; the first that there is without one.
    public var from: String?
    /// The last day; the last that there is without one.
    public var to: String?
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many entries at most.
    public var limit: Int?

    /// Puts a request together.
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

/// What somebody used on a day.
public struct UsageDay: Codable, Hashable, Sendable {
    /// The day (UTC), as `2026-11-22`.
    public var day: String
    /// Who; nil for the server's own work.
    public var user: UserID?
    /// What they are called; nil where they were deleted.
    public var name: String?
    /// Tokens that they used.
    public var used: Int64
    /// How many answers used them.
    public var answers: Int64

    /// Puts an entry together.
    public init(day: String, user: UserID?, name: String?, used: Int64, answers: Int64) {
        self.day = day
        self.user = user
        self.name = name
        self.used = used
        self.answers = answers
    }
}

/// The reply of `usage.list`: days in their order, with what was used on them.
public struct UsageListReply: Codable, Sendable {
    /// The page.
    public var days: [UsageDay]
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(days: [UsageDay], cursor: String? = nil) {
        self.days = days
        self.cursor = cursor
    }
}

/// `budget.set`: the most tokens that a user or a team may use. A limit that is left out is none for a
/// team, and the server's for a user.
public struct BudgetSetRequest: Codable, Sendable {
    /// Whose; this or `team`.
    public var user: UserID?
    /// Whose; this or `user`.
    public var team: TeamID?
    /// Tokens a day.
    public var daily: Int64?
    /// Tokens a calendar month.
    public var monthly: Int64?

    /// Puts a request together.
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
