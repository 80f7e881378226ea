// Limits sign-in attempts: each failure beyond the free ones doubles the wait, for the account and
// for the client's address. Failures expire with time. All state is in memory and bounded.

/// Limits sign-in attempts. The caller passes the time.
public struct SignInLimiter: Sendable {
    /// The limit for one kind of key.
    public struct Rule: Sendable, Hashable {
        /// Failures that cost no wait.
        public var free: Int
        /// The wait after the first failure that is not free; each further one doubles it.
        public var first: Duration
        /// Maximum wait.
        public var longest: Duration
        /// Time after which one failure is forgiven.
        public var forgiveness: Duration

        /// Creates a rule.
        public init(free: Int, first: Duration, longest: Duration, forgiveness: Duration) {
            self.free = free
            self.first = first
            self.longest = longest
            self.forgiveness = forgiveness
        }
    }

    /// The limits.
    public struct Configuration: Sendable, Hashable {
        /// Per account, whether an account of this name exists or not.
        public var account = Rule(
            free: 5,
            first: .seconds(1),
            longest: .seconds(900),
            forgiveness: .seconds(600)
        )
        /// Per address. Many people may share one.
        public var address = Rule(
            free: 50,
            first: .seconds(1),
            longest: .seconds(900),
            forgiveness: .seconds(60)
        )
        /// Maximum accounts and maximum addresses in memory. Beyond that, those with the fewest
        /// failures are forgotten.
        public var entriesMax = 10_000

        /// The defaults.
        public init() {}
    }

    /// An admitted attempt. The caller must report its result.
    public struct Attempt: Sendable {
        fileprivate let account: String
        fileprivate let address: String?
        fileprivate let pair: String?
    }

    /// A refused attempt.
    public struct Refusal: Error, Sendable, Hashable {
        /// The time until the next attempt is admitted.
        public let wait: Duration

        /// Creates a refusal.
        public init(wait: Duration) {
            self.wait = wait
        }
    }

    private let configuration: Configuration
    private var accounts: FailureCounts
    private var addresses: FailureCounts
    /// Pairs of account and address that have signed in: from there, failures of others do not lock
    /// the account's owner out.
    private var known: [String: ContinuousClock.Instant] = [:]

    /// - Parameter configuration: the limits.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        accounts = FailureCounts(configuration.account, entriesMax: configuration.entriesMax)
        addresses = FailureCounts(configuration.address, entriesMax: configuration.entriesMax)
    }

    /// Number of accounts and addresses in memory.
    public var entryCount: Int { accounts.count + addresses.count + known.count }

    /// Admits an attempt. It counts as a failure until its result is reported, so that concurrent
    /// attempts are limited too.
    /// - Parameters:
    ///   - account: the account's name, in any case.
    ///   - address: the client's address; nil if it is not meaningful.
    ///   - now: the current time.
    /// - Returns: the attempt, for `succeeded`, `failed` or `abandoned`.
    /// - Throws: `Refusal`.
    public mutating func admit(
        account: String,
        address: String?,
        now: ContinuousClock.Instant
    ) throws(Refusal) -> Attempt {
        let name = String(decoding: account.utf8.prefix(256), as: UTF8.self).lowercased()
        let pair = address.map { "\(name)\u{0}\($0)" }
        let isKnown = pair.map { known[$0] != nil } ?? false
        let counted = isKnown ? pair ?? name : name
        let wait = max(
            accounts.wait(of: counted, now),
            address.map { addresses.wait(of: $0, now) } ?? .zero
        )
        guard wait <= .zero else { throw Refusal(wait: wait) }
        accounts.add(counted, now)
        return Attempt(account: counted, address: address, pair: pair)
    }

    /// Reports that name and password were right.
    public mutating func succeeded(_ attempt: Attempt, now: ContinuousClock.Instant) {
        accounts.forget(attempt.account)
        guard let pair = attempt.pair else { return }
        if known[pair] == nil, known.count >= configuration.entriesMax,
            let oldest = known.min(by: { $0.value < $1.value })
        {
            known[oldest.key] = nil
        }
        known[pair] = now
    }

    /// Reports that they were wrong.
    public mutating func failed(_ attempt: Attempt, now: ContinuousClock.Instant) {
        if let address = attempt.address { addresses.add(address, now) }
    }

    /// Reports that the check was not completed: the attempt does not count.
    public mutating func abandoned(_ attempt: Attempt, now: ContinuousClock.Instant) {
        accounts.takeBack(attempt.account, now)
    }
}

/// Failures by key, for one kind of key.
private struct FailureCounts: Sendable {
    private struct Entry {
        /// Failures that are not forgiven yet, as of `at`.
        var count: Double
        var at: ContinuousClock.Instant
        var blockedUntil: ContinuousClock.Instant
    }

    private let rule: SignInLimiter.Rule
    private let entriesMax: Int
    private var entries: [String: Entry] = [:]

    init(_ rule: SignInLimiter.Rule, entriesMax: Int) {
        self.rule = rule
        self.entriesMax = entriesMax
    }

    var count: Int { entries.count }

    func wait(of key: String, _ now: ContinuousClock.Instant) -> Duration {
        guard let entry = entries[key] else { return .zero }
        return max(.zero, entry.blockedUntil - now)
    }

    mutating func add(_ key: String, _ now: ContinuousClock.Instant) {
        if entries[key] == nil { makeRoom(now) }
        let count = (entries[key].map { level($0, now) } ?? 0) + 1
        entries[key] = Entry(count: count, at: now, blockedUntil: now + wait(after: count))
    }

    mutating func takeBack(_ key: String, _ now: ContinuousClock.Instant) {
        guard let entry = entries[key] else { return }
        let count = level(entry, now) - 1
        entries[key] = count > 0 ? Entry(count: count, at: now, blockedUntil: now) : nil
    }

    mutating func forget(_ key: String) { entries[key] = nil }

    private func level(_ entry: Entry, _ now: ContinuousClock.Instant) -> Double {
        max(0, entry.count - (now - entry.at) / rule.forgiveness)
    }

    private func wait(after count: Double) -> Duration {
        let beyond = count.rounded(.up) - Double(rule.free)
        guard beyond > 0 else { return .zero }
        // Avoids overflow: 2^30 times the first wait exceeds any sensible maximum.
        var wait = rule.first
        for _ in 1..<max(1, min(30, Int(beyond))) where wait < rule.longest { wait = wait * 2 }
        return min(wait, rule.longest)
    }

    private mutating func makeRoom(_ now: ContinuousClock.Instant) {
        guard entries.count >= entriesMax else { return }
        entries = entries.filter { level($0.value, now) > 0 }
        guard entries.count >= entriesMax else { return }
        let least = entries.min { level($0.value, now) < level($1.value, now) }
        if let least { entries[least.key] = nil }
    }
}
