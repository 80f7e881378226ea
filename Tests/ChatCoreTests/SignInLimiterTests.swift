import ChatCore
import Testing

@Suite("The limit of sign-in attempts")
struct SignInLimiterTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Makes a failing attempt.
    /// - Returns: the wait if it was refused; nil if it was admitted.
    private func fail(
        _ limiter: inout SignInLimiter,
        _ account: String,
        from address: String? = nil,
        at seconds: Int
    ) -> Duration? {
        do throws(SignInLimiter.Refusal) {
            let now = at(seconds)
            let attempt = try limiter.admit(account: account, address: address, now: now)
            limiter.failed(attempt, now: now)
            return nil
        } catch {
            return error.wait
        }
    }

    @Test(
        "allows an account five failures, and doubles the wait after each further one",
        arguments: [(5, 0), (6, 1), (7, 2), (8, 4), (10, 16), (15, 512), (16, 900), (40, 900)]
    )
    func backOff(failures: Int, wait: Int) {
        var configuration = SignInLimiter.Configuration()
        // Failures do not expire in this test.
        configuration.account.forgiveness = .seconds(1_000_000_000)
        var limiter = SignInLimiter(configuration)
        var now = 0
        for _ in 0..<failures {
            while fail(&limiter, "ann", at: now) != nil { now += 1 }
        }
        #expect((fail(&limiter, "ANN", at: now) ?? .zero) == .seconds(wait))
        #expect(fail(&limiter, "bob", at: now) == nil)
    }

    @Test("failures expire with time")
    func forgiveness() {
        var limiter = SignInLimiter()
        for second in 0..<6 { #expect(fail(&limiter, "ann", at: second) == nil) }
        #expect(fail(&limiter, "ann", at: 5) == .seconds(1))
        // Six failures expire in an hour.
        for second in 3700..<3705 { #expect(fail(&limiter, "ann", at: second) == nil) }
        #expect(fail(&limiter, "ann", at: 3705) == nil)
        #expect(fail(&limiter, "ann", at: 3705) != nil)
    }

    @Test("limits an address over all accounts, and no other address")
    func addresses() {
        var limiter = SignInLimiter()
        for number in 0..<51 {
            #expect(fail(&limiter, "user\(number)", from: "192.0.2.1", at: 0) == nil)
        }
        #expect(fail(&limiter, "user51", from: "192.0.2.1", at: 0) == .seconds(1))
        #expect(fail(&limiter, "user51", from: "192.0.2.2", at: 0) == nil)
    }

    @Test("limits concurrent attempts for one account")
    func atOnce() throws {
        var limiter = SignInLimiter()
        var attempts: [SignInLimiter.Attempt] = []
        for _ in 0..<6 {
            attempts.append(try limiter.admit(account: "ann", address: nil, now: start))
        }
        #expect(throws: SignInLimiter.Refusal(wait: .seconds(1))) {
            try limiter.admit(account: "ann", address: nil, now: start)
        }
        // An attempt without a result does not count.
        limiter.abandoned(attempts[5], now: start)
        #expect(throws: Never.self) {
            try limiter.admit(account: "ann", address: nil, now: start)
        }
    }

    @Test("a successful sign-in clears the account's failures")
    func success() throws {
        var limiter = SignInLimiter()
        for _ in 0..<5 { #expect(fail(&limiter, "ann", at: 0) == nil) }
        let attempt = try limiter.admit(account: "ann", address: nil, now: start)
        limiter.succeeded(attempt, now: start)
        for _ in 0..<6 { #expect(fail(&limiter, "ann", at: 1) == nil) }
    }

    @Test("failures of others do not lock an owner out of a known address")
    func knownPlace() throws {
        var limiter = SignInLimiter()
        let first = try limiter.admit(account: "ann", address: "192.0.2.1", now: start)
        limiter.succeeded(first, now: start)
        for _ in 0..<6 { _ = fail(&limiter, "ann", from: "198.51.100.9", at: 1) }
        #expect(fail(&limiter, "ann", from: "198.51.100.9", at: 1) != nil)
        #expect(throws: Never.self) {
            try limiter.admit(account: "ann", address: "192.0.2.1", now: at(1))
        }
    }

    @Test("limits the number of entries, and forgets those with the fewest failures first")
    func memory() {
        var configuration = SignInLimiter.Configuration()
        configuration.entriesMax = 100
        var limiter = SignInLimiter(configuration)
        for _ in 0..<6 { _ = fail(&limiter, "ann", at: 0) }
        for number in 0..<1000 {
            _ = fail(&limiter, "user\(number)", from: "192.0.2.\(number)", at: 0)
        }
        #expect(limiter.entryCount <= 200)
        #expect(fail(&limiter, "ann", at: 0) != nil)
    }
}
