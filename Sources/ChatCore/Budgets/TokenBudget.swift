// Whether an answer fits into the budgets of its user and of the conversation's team: a pure
// function of limits, tokens used and reserved, and the tokens that the answer may need.

public import ChatProtocol

/// Maximum tokens per period.
public struct TokenBudget: Sendable, Hashable {
    /// Per day; nil for no limit.
    public var daily: Int64?
    /// Per calendar month; nil for no limit.
    public var monthly: Int64?

    /// Creates a budget.
    public init(daily: Int64? = nil, monthly: Int64? = nil) {
        self.daily = daily
        self.monthly = monthly
    }

    /// No limits.
    public static let unlimited = TokenBudget()

    /// This budget, with missing limits taken from another one.
    /// - Parameter other: the budget to fall back to.
    /// - Returns: the combined budget.
    public func otherwise(_ other: TokenBudget) -> TokenBudget {
        TokenBudget(daily: daily ?? other.daily, monthly: monthly ?? other.monthly)
    }

    /// The limit of a period; nil for no limit.
    subscript(period: BudgetPeriod) -> Int64? {
        switch period {
        case .day: daily
        case .month: monthly
        }
    }
}

/// Tokens consumed in a period.
public struct TokenCount: Sendable, Hashable {
    /// Used by answers that have ended.
    public var used: Int64
    /// Reserved for queued and running answers.
    public var reserved: Int64

    /// Creates a count.
    public init(used: Int64 = 0, reserved: Int64 = 0) {
        self.used = used
        self.reserved = reserved
    }
}

/// A budget with the tokens consumed under it.
public struct BudgetAccount: Sendable, Hashable {
    /// Whose budget it is.
    public var holder: BudgetHolder
    /// The limits.
    public var budget: TokenBudget
    /// Tokens consumed today.
    public var today: TokenCount
    /// Tokens consumed this month, including today.
    public var thisMonth: TokenCount

    /// Creates an account.
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

    /// The account after another reservation: one entry for each limit.
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
    /// Yes; with the limit that is closest to being reached, if there is one.
    case granted(Allowance?)
    /// No, not until the period of this limit ends; the allowance counts the requested tokens as
    /// reserved.
    case exceeded(Allowance)

    /// Decides whether an answer fits.
    /// - Parameters:
    ///   - tokens: tokens that it may need for prompt and answer.
    ///   - accounts: all budgets that apply to it.
    ///   - now: the current time, which decides when periods end.
    /// - Returns: the verdict. If several limits are exceeded, it names the one whose period ends
    ///   last.
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

    /// Decides whether an answer fits, and shortens it to what is left where that is enough.
    /// - Parameters:
    ///   - prompt: tokens that its prompt may take.
    ///   - longest: the most tokens that it may have.
    ///   - shortest: the fewest tokens that are still of use; an answer that may be shorter anyway is
    ///     not shortened.
    ///   - accounts: whatever it comes under.
    ///   - now: the time.
    /// - Returns: the verdict, and the most tokens that the answer may have under it. A refusal is of
    ///   the prompt and the shortest answer.
    public static func fit(
        prompt: Int64,
        longest: Int64,
        shortest: Int64,
        under accounts: [BudgetAccount],
        at now: Timestamp
    ) -> (verdict: BudgetVerdict, answerTokens: Int64) {
        let whole = decide(prompt + longest, under: accounts, at: now)
        guard case .exceeded = whole else { return (whole, longest) }
        let left = accounts.flatMap { $0.allowances(reserving: prompt, at: now) }.map(\.left).min()
        let shortened = max(min(left ?? longest, longest), min(shortest, longest))
        return (decide(prompt + shortened, under: accounts, at: now), shortened)
    }
}

extension Allowance {
    /// Tokens neither used nor reserved; negative if there are too few.
    var left: Int64 { limit - used - reserved }

    /// The error for an answer that does not fit.
    /// - Parameters:
    ///   - tokens: tokens that the answer needs, including the prompt.
    ///   - now: the current time.
    /// - Returns: the error; it says when the budget resets, if waiting helps.
    public func refusal(of tokens: Int64, at now: Timestamp) -> WireError {
        let whose = holder == .user ? "your" : "your team's"
        let limit = "\(whose) limit of \(limit) tokens a \(period.rawValue)"
        guard tokens <= self.limit else {
            return WireError(
                .budgetExceeded,
                "this answer needs at least \(tokens) tokens, more than all of \(limit); a smaller "
                    + "max_tokens of the conversation, or a shorter conversation, may fit"
            )
        }
        let before = reserved - tokens
        let waiting = before > 0 ? " and \(before) are reserved for answers under way" : ""
        return WireError(
            .budgetExceeded,
            "this answer needs at least \(tokens) tokens, and of \(limit) \(used) are used\(waiting); "
                + "it begins anew at \(resetsAt)",
            retryAfter: Double(resetsAt.milliseconds - now.milliseconds) / 1000
        )
    }
}
