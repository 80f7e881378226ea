// How often somebody may try to sign in: each failure beyond some that are free makes the next try wait
// twice as long, for the account that was tried and for the address that it came from. Failures are
// forgiven with time. All of it is in memory, within a bound.

/// Counts tries to sign in. Time is given to it.
public struct SignInLimiter: Sendable {
    /// How tries of one kind are bounded.
    public struct Rule: Sendable, Hashable {
        /// How many failures cost no wait.
        public var free: Int
        /// The wait after the first failure that is not free; each further one doubles it.
        public var first: Duration
        /// The longest wait.
        public var longest: Duration
        /// How long until one failure is forgiven.
        public var forgiveness: Duration

        /// Puts a rule together.
        public init(free: Int, first: Duration, longest: Duration, forgiveness: Duration) {
            self.free = free
            self.first = first
            self.longest = longest
            self.forgiveness = forgiveness
        }
    }

    /// The bounds.
    public struct Configuration: Sendable, Hashable {
        /// Of one account, whether there is one of that name or not.
        public var account = Rule(
            free: 5,
            first: .seconds(1),
            longest: .seconds(900),
            forgiveness: .seconds(600)
        )
        /// Of one address. Many people may share one.
        public var address = Rule(
            free: 50,
            first: .seconds(1),
            longest: .seconds(900),
            forgiveness: .seconds(60)
        )
        /// How many accounts, and how many addresses, are kept in mind. Beyond that, those with the
        /// fewest failures are forgotten.
        public var entriesMax = 10_000

        /// The usual bounds.
        public init() {}
    }

    /// A try that was let in. What came of it has to be told.
    public struct Attempt: Sendable {
        fileprivate let account: String
        fileprivate let address: String?
        fileprivate let pair: String?
    }

    /// A try that was not let in.
    public struct Refusal: Error, Sendable, Hashable {
        /// How long until one is let in.
        public let wait: Duration

        /// Puts a refusal together.
        public init(wait: Duration) {
            self.wait = wait
        }
    }

    private let configuration: Configuration
    private var accounts: FailureCounts
    private var addresses: FailureCounts
    /// Pairs of account and address that have signed in: there, somebody else's failures do not keep
    /// the account's owner out.
    private var known: [String: ContinuousClock.Instant] = [:]

    /// - Parameter configuration: the bounds.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        accounts = FailureCounts(configuration.account, entriesMax: configuration.entriesMax)
        addresses = FailureCounts(configuration.address, entriesMax: configuration.entriesMax)
    }

    /// How many accounts and addresses are kept in mind.
    public var entryCount: Int { accounts.count + addresses.count + known.count }

    /// Lets a try in. It counts as a failure of its account until it is told otherwise, so that many
    /// at once are bounded too.
    /// - Parameters:
    ///   - account: the name that is tried, in any case.
    ///   - address: where it comes from; nil where that says nothing.
    ///   - now: the time.
    /// - Returns: the try, for `succeeded`, `failed` or `abandoned`.
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

    /// The name and the password were right.
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

    /// They were not.
    public mutating func failed(_ attempt: Attempt, now: ContinuousClock.Instant) {
        if let address = attempt.address { addresses.add(address, now) }
    }

    /// It was not found out: the try does not count.
    public mutating func abandoned(_ attempt: Attempt, now: ContinuousClock.Instant) {
        accounts.takeBack(attempt.account, now)
    }
}

/// The failures of many of one kind.
private struct FailureCounts: Sendable {
    private struct Entry {
        /// Failures that are not forgiven, as of `at`.
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
        // 2^30 times anything is beyond every longest wait that makes sense.
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
