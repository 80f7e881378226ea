// Tokens used and reserved under limits. Days and months are in UTC.

/// Whose budget it is.
public enum BudgetHolder: String, Codable, Hashable, Sendable, CaseIterable {
    /// The user's own.
    case user
    /// The conversation's team's.
    case team
}

/// The period of a limit, in UTC.
public enum BudgetPeriod: String, Codable, Hashable, Sendable, CaseIterable {
    /// A day.
    case day
    /// A calendar month.
    case month
}

/// The limit that is closest to being reached, including the answer's own reservation.
public struct Allowance: Codable, Hashable, Sendable {
    /// Whose budget it is.
    public var holder: BudgetHolder
    /// The period.
    public var period: BudgetPeriod
    /// Maximum tokens.
    public var limit: Int64
    /// Tokens used in the period.
    public var used: Int64
    /// Tokens reserved for queued and running answers.
    public var reserved: Int64
    /// When the period ends.
    public var resetsAt: Timestamp

    /// Creates an allowance.
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

/// Tokens used in a day or a month.
public struct TokenUse: Codable, Hashable, Sendable {
    /// Tokens used.
    public var used: Int64
    /// Tokens reserved for queued and running answers.
    public var reserved: Int64
    /// Maximum tokens; nil for no limit.
    public var limit: Int64?
    /// When the period ends.
    public var resetsAt: Timestamp

    /// Creates the figures.
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
