import ChatCore
import ChatProtocol
import FoundationEssentials
import Testing

@Suite("Budgets")
struct BudgetTests {
    private static let now = Self.time("2026-11-22T09:30:00.125Z")
    private static let tomorrow = Self.time("2026-11-23T00:00:00.000Z")
    private static let nextMonth = Self.time("2026-12-01T00:00:00.000Z")

    private static func time(_ text: String) -> Timestamp {
        let json = Data("\"\(text)\"".utf8)
        return (try? JSONDecoder().decode(Timestamp.self, from: json))
            ?? Timestamp(milliseconds: 0)
    }

    private static func account(
        _ holder: BudgetHolder,
        daily: Int64? = nil,
        monthly: Int64? = nil,
        today: TokenCount = TokenCount(),
        thisMonth: TokenCount = TokenCount()
    ) -> BudgetAccount {
        BudgetAccount(
            holder: holder,
            budget: TokenBudget(daily: daily, monthly: monthly),
            today: today,
            thisMonth: thisMonth
        )
    }

    /// The verdict for 100 tokens, and the limit that decides it.
    struct Case: Sendable {
        let accounts: [BudgetAccount]
        let isGranted: Bool
        var holder: BudgetHolder?
        var period: BudgetPeriod?
        var reserved: Int64?
    }

    private static let cases = [
        Case(accounts: [], isGranted: true),
        Case(accounts: [account(.user)], isGranted: true),
        // Exactly at the limit.
        Case(
            accounts: [account(.user, daily: 100)],
            isGranted: true,
            holder: .user,
            period: .day,
            reserved: 100
        ),
        Case(accounts: [account(.user, daily: 99)], isGranted: false, holder: .user, period: .day),
        Case(accounts: [account(.user, daily: 0)], isGranted: false, holder: .user, period: .day),
        // Used and reserved tokens both count.
        Case(
            accounts: [account(.user, daily: 160, today: TokenCount(used: 30, reserved: 30))],
            isGranted: true,
            holder: .user,
            period: .day,
            reserved: 130
        ),
        Case(
            accounts: [account(.user, daily: 159, today: TokenCount(used: 30, reserved: 30))],
            isGranted: false,
            holder: .user,
            period: .day,
            reserved: 130
        ),
        // The verdict names the nearest limit.
        Case(
            accounts: [
                account(.user, daily: 500, monthly: 1000, thisMonth: TokenCount(used: 700)),
                account(.team, daily: 250),
            ],
            isGranted: true,
            holder: .team,
            period: .day
        ),
        // The team's limit is exceeded, the user's is not.
        Case(
            accounts: [
                account(.user, daily: 500),
                account(.team, monthly: 250, thisMonth: TokenCount(used: 200)),
            ],
            isGranted: false,
            holder: .team,
            period: .month
        ),
        // Of two exceeded limits, the one with the longer period.
        Case(
            accounts: [
                account(.user, daily: 10, monthly: 250, thisMonth: TokenCount(reserved: 200))
            ],
            isGranted: false,
            holder: .user,
            period: .month
        ),
        // The limit was lowered below what is already used.
        Case(
            accounts: [account(.user, daily: 100, today: TokenCount(used: 400))],
            isGranted: false,
            holder: .user,
            period: .day
        ),
    ]

    @Test(
        "an answer fits if used, reserved and needed tokens together are within each limit",
        arguments: cases
    )
    func decisions(example: Case) {
        let allowance: Allowance?
        switch BudgetVerdict.decide(100, under: example.accounts, at: Self.now) {
        case .granted(let nearest):
            #expect(example.isGranted)
            allowance = nearest
        case .exceeded(let limit):
            #expect(!example.isGranted)
            allowance = limit
        }
        #expect(allowance?.holder == example.holder)
        #expect(allowance?.period == example.period)
        if let reserved = example.reserved { #expect(allowance?.reserved == reserved) }
        let reset = example.period == .month ? Self.nextMonth : Self.tomorrow
        if let allowance { #expect(allowance.resetsAt == reset) }
    }

    @Test("an answer is shortened to what is left, down to the shortest that is of use")
    func shortening() {
        func fit(left: Int64, longest: Int64 = 1024) -> Int64? {
            let account = Self.account(.user, daily: 1000, today: TokenCount(used: 1000 - left))
            let (verdict, tokens) = BudgetVerdict.fit(
                prompt: 24,
                longest: longest,
                shortest: 16,
                under: [account],
                at: Self.now
            )
            if case .granted = verdict { return tokens }
            return nil
        }
        #expect(fit(left: 1000, longest: 900) == 900)
        #expect(fit(left: 50) == 26)
        #expect(fit(left: 40) == 16)
        #expect(fit(left: 39) == nil)
        // One that is asked to be shorter anyway needs no more than that.
        #expect(fit(left: 30, longest: 6) == 6)
        #expect(fit(left: 29, longest: 6) == nil)
    }

    @Test("what is reserved for a shortened answer never exceeds a limit", arguments: 0..<200)
    func shorteningWithinLimits(seed: UInt64) {
        var dice = Dice(seed)
        func limit() -> Int64? {
            Bool.random(using: &dice) ? Int64.random(in: 0...3000, using: &dice) : nil
        }
        let accounts = [BudgetHolder.user, .team].map { holder in
            let day = TokenCount(
                used: .random(in: 0...1500, using: &dice),
                reserved: .random(in: 0...500, using: &dice)
            )
            let month = TokenCount(used: day.used + 100, reserved: day.reserved)
            return BudgetAccount(
                holder: holder,
                budget: TokenBudget(daily: limit(), monthly: limit()),
                today: day,
                thisMonth: month
            )
        }
        let prompt = Int64.random(in: 1...200, using: &dice)
        let longest = Int64.random(in: 1...2000, using: &dice)
        let shortest = Int64.random(in: 1...64, using: &dice)
        let (verdict, tokens) = BudgetVerdict.fit(
            prompt: prompt,
            longest: longest,
            shortest: shortest,
            under: accounts,
            at: Self.now
        )
        #expect((min(shortest, longest)...longest).contains(tokens))
        let fits: (Int64) -> Bool = { answer in
            if case .granted = BudgetVerdict.decide(prompt + answer, under: accounts, at: Self.now)
            {
                return true
            }
            return false
        }
        if case .granted = verdict {
            #expect(fits(tokens))
            // As long as it can be.
            #expect(tokens == longest || !fits(tokens + 1))
        } else {
            #expect(!fits(min(shortest, longest)))
        }
    }

    @Test("the error says when the budget resets, if waiting helps")
    func refusals() throws {
        let full = Self.account(.user, daily: 500, today: TokenCount(used: 450))
        guard case .exceeded(let limit) = BudgetVerdict.decide(100, under: [full], at: Self.now)
        else {
            Issue.record("it was granted")
            return
        }
        let error = limit.refusal(of: 100, at: Self.now)
        #expect(error.code == .budgetExceeded)
        #expect(error.retryAfter == 52_199.875)
        let never = Self.account(.team, daily: 50)
        guard case .exceeded(let small) = BudgetVerdict.decide(100, under: [never], at: Self.now)
        else {
            Issue.record("it was granted")
            return
        }
        #expect(small.refusal(of: 100, at: Self.now).retryAfter == nil)
        #expect(small.refusal(of: 100, at: Self.now).message.contains("max_tokens"))
    }

    @Test("a user's own limits override the server's, one by one")
    func defaults() {
        let server = TokenBudget(daily: 10, monthly: 100)
        #expect(TokenBudget(daily: 5).otherwise(server) == TokenBudget(daily: 5, monthly: 100))
        #expect(TokenBudget.unlimited.otherwise(server) == server)
    }

    @Test(
        "days and months end in UTC",
        arguments: [
            ("2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
            ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
            ("2028-02-28T12:00:00.000Z", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"),
            ("2026-02-28T12:00:00.000Z", "2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"),
            ("2100-02-28T12:00:00.000Z", "2100-03-01T00:00:00.000Z", "2100-03-01T00:00:00.000Z"),
            ("2000-02-29T12:00:00.000Z", "2000-03-01T00:00:00.000Z", "2000-03-01T00:00:00.000Z"),
            ("1970-01-01T00:00:00.000Z", "1970-01-02T00:00:00.000Z", "1970-02-01T00:00:00.000Z"),
        ]
    )
    func calendar(time: String, day: String, month: String) {
        #expect(BudgetPeriod.day.next(after: Self.time(time)) == Self.time(day))
        #expect(BudgetPeriod.month.next(after: Self.time(time)) == Self.time(month))
    }
}
