// What was used and reserved under limits, in tokens. Days and months are those of UTC.

/// Whose limit it is.
public enum BudgetHolder: String, Codable, Hashable, Sendable, CaseIterable {
    /// The asker's own.
    case user
    /// That of the conversation's team.
    case team
}

/// How long a limit counts, from its beginning in UTC.
public enum BudgetPeriod: String, Codable, Hashable, Sendable, CaseIterable {
    /// A day.
    case day
    /// A calendar month.
    case month
}

/// The limit that an answer comes nearest to, with the answer's own reservation.
public struct Allowance: Codable, Hashable, Sendable {
    /// Whose limit.
    public var holder: BudgetHolder
    /// How long it counts.
    public var period: BudgetPeriod
    /// The most tokens.
    public var limit: Int64
    /// Tokens that were used in that time.
    public var used: Int64
    /// Tokens that are kept free for answers that wait or grow.
    public var reserved: Int64
    /// When it begins anew.
    public var resetsAt: Timestamp

    /// Puts an allowance together.
    public init(
        holder: BudgetHolder,
        period: BudgetPeriod,
        limit: Int64,
        used: Int64,
        reserved: Int64,
        resetsAt: Timestamp
    ) {
        self.holder = holder
        self.period = period
        self.limit = limit
        self.used = used
        self.reserved = reserved
        self.resetsAt = resetsAt
    }

    enum CodingKeys: String, CodingKey {
        case holder, period, limit, used, reserved
        case resetsAt = "resets_at"
    }
}

/// What somebody used of a day or a month.
public struct TokenUse: Codable, Hashable, Sendable {
    /// Tokens that were used.
    public var used: Int64
    /// Tokens that are kept free for answers that wait or grow.
    public var reserved: Int64
    /// The most tokens; nil without a limit.
    public var limit: Int64?
    /// When the next one begins.
    public var resetsAt: Timestamp

    /// Puts figures together.
    public init(used: Int64, reserved: Int64, limit: Int64?, resetsAt: Timestamp) {
        self.used = used
        self.reserved = reserved
        self.limit = limit
        self.resetsAt = resetsAt
    }

    enum CodingKeys: String, CodingKey {
        case used, reserved, limit
        case resetsAt = "resets_at"
    }
}
