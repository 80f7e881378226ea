// Whether an answer fits into what its asker, and its conversation's team, may use: a pure rule of
// limits, of what was used and is reserved, and of what the answer may take.

public import ChatProtocol

/// The most tokens that somebody may use.
public struct TokenBudget: Sendable, Hashable {
    /// In a day; nil for no limit.
    public var daily: Int64?
    /// In a calendar month; nil for no limit.
    public var monthly: Int64?

    /// Puts a budget together.
    public init(daily: Int64? = nil, monthly: Int64? = nil) {
        self.daily = daily
        self.monthly = monthly
    }

    /// No limits.
    public static let unlimited = TokenBudget()

    /// These limits, and those of another budget where there are none.
    /// - Parameter other: the other budget.
    /// - Returns: both together.
    public func otherwise(_ other: TokenBudget) -> TokenBudget {
        TokenBudget(daily: daily ?? other.daily, monthly: monthly ?? other.monthly)
    }

    /// The limit of a period; nil where there is none.
    subscript(period: BudgetPeriod) -> Int64? {
        switch period {
        case .day: daily
        case .month: monthly
        }
    }
}

/// What of a period's tokens is gone.
public struct TokenCount: Sendable, Hashable {
    /// Used by answers that have ended.
    public var used: Int64
    /// Kept free for those that wait or grow.
    public var reserved: Int64

    /// Puts a count together.
    public init(used: Int64 = 0, reserved: Int64 = 0) {
        self.used = used
        self.reserved = reserved
    }
}

/// Somebody's budget with what is gone of it.
public struct BudgetAccount: Sendable, Hashable {
    /// Whose it is.
    public var holder: BudgetHolder
    /// The limits.
    public var budget: TokenBudget
    /// What is gone of this day's.
    public var today: TokenCount
    /// What is gone of this month's, this day's included.
    public var thisMonth: TokenCount

    /// Puts an account together.
    public init(
        holder: BudgetHolder,
        budget: TokenBudget,
        today: TokenCount = TokenCount(),
        thisMonth: TokenCount = TokenCount()
    ) {
        self.holder = holder
        self.budget = budget
        self.today = today
        self.thisMonth = thisMonth
    }

    /// The account as it stands with some tokens more reserved: an entry for each limit.
    func allowances(reserving tokens: Int64, at now: Timestamp) -> [Allowance] {
        BudgetPeriod.allCases.compactMap { period in
            guard let limit = budget[period] else { return nil }
            let count = period == .day ? today : thisMonth
            return Allowance(
                holder: holder,
                period: period,
                limit: limit,
                used: count.used,
                reserved: count.reserved + tokens,
                resetsAt: period.next(after: now)
            )
        }
    }
}

/// Whether tokens can be reserved.
public enum BudgetVerdict: Sendable, Hashable {
    /// They can; with the limit that comes nearest, where there is one.
    case granted(Allowance?)
    /// They cannot before the period of this limit is over; the allowance counts them as reserved.
    case exceeded(Allowance)

    /// Decides whether an answer fits.
    /// - Parameters:
    ///   - tokens: what it may take, prompt and answer together.
    ///   - accounts: whatever it comes under.
    ///   - now: the time, which decides when periods end.
    /// - Returns: the verdict. Of several limits that are in the way the one that ends last counts.
    public static func decide(
        _ tokens: Int64,
        under accounts: [BudgetAccount],
        at now: Timestamp
    ) -> BudgetVerdict {
        let allowances = accounts.flatMap { $0.allowances(reserving: tokens, at: now) }
        let exceeded = allowances.filter { $0.left < 0 }
        if let last = exceeded.max(by: { $0.resetsAt < $1.resetsAt }) { return .exceeded(last) }
        return .granted(allowances.min { $0.left < $1.left })
    }
}

extension Allowance {
    /// Tokens that are neither used nor reserved; below 0 where there are too few.
    var left: Int64 { limit - used - reserved }

    /// What the asker of an answer that does not fit is told.
    /// - Parameters:
    ///   - tokens: what the answer may take.
    ///   - now: the time.
    /// - Returns: the refusal, which says when the budget begins anew, where waiting helps.
    public func refusal(of tokens: Int64, at now: Timestamp) -> WireError {
        let whose = holder == .user ? "your" : "your team's"
        let limit = "\(whose) limit of \(limit) tokens a \(period.rawValue)"
        guard tokens <= self.limit else {
            return WireError(
                .budgetExceeded,
                "this answer may take \(tokens) tokens, more than all of \(limit); a smaller "
                    + "max_tokens of the conversation, or a shorter conversation, may fit"
            )
        }
        let before = reserved - tokens
        let waiting = before > 0 ? " and \(before) are reserved for answers under way" : ""
        return WireError(
            .budgetExceeded,
            "this answer may take \(tokens) tokens, and of \(limit) \(used) are used\(waiting); "
                + "it begins anew at \(resetsAt)",
            retryAfter: Double(resetsAt.milliseconds - now.milliseconds) / 1000
        )
    }
}
