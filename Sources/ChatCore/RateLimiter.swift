// Limits the rate of requests: the generic cell rate algorithm (ITU-T I.371), a token bucket that
// is stored as the instant at which it will be full again. The caller passes the time.

/// Allows a number of requests per minute and key, all at once or spread; capacity returns evenly
/// over the minute.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// Requests per minute.
    public let perMinute: Int
    /// When each key's bucket is full again; keys with a full bucket are forgotten.
    private var fullAt: [Key: ContinuousClock.Instant] = [:]
    /// Number of keys at which forgettable ones are searched.
    private var entriesMax = 1024
    /// Maximum number of keys in memory.
    private static var entriesLimit: Int { 65_536 }

    /// - Parameter perMinute: requests per minute; at least 1.
    public init(perMinute: Int) {
        self.perMinute = max(1, perMinute)
    }

    /// Number of keys in memory.
    public var entryCount: Int { fullAt.count }

    /// Takes one token from a key's bucket.
    /// - Parameters:
    ///   - key: the key.
    ///   - now: the current time.
    /// - Returns: nil if there was one; otherwise the time until there is one, and nothing was
    ///   taken.
    public mutating func take(_ key: Key, now: ContinuousClock.Instant) -> Duration? {
        let share = Duration.seconds(60) / perMinute
        let full = max(fullAt[key] ?? now, now)
        let wait = full + share - now - share * perMinute
        guard wait <= .zero else { return wait }
        if fullAt[key] == nil, fullAt.count >= entriesMax { forget(now) }
        fullAt[key] = full + share
        return nil
    }

    /// The tokens that a key's bucket has, and the time until it is full again.
    public func state(
        of key: Key,
        now: ContinuousClock.Instant
    ) -> (remaining: Int, untilFull: Duration) {
        let wait = max(.zero, (fullAt[key] ?? now) - now)
        let used = (wait / (Duration.seconds(60) / perMinute)).rounded(.up)
        return (max(0, perMinute - Int(used)), wait)
    }

    private mutating func forget(_ now: ContinuousClock.Instant) {
        fullAt = fullAt.filter { $0.value > now }
        // Over the limit, forgets the keys that have used least.
        if fullAt.count > Self.entriesLimit / 2 {
            let kept = fullAt.sorted { $0.value > $1.value }.prefix(Self.entriesLimit / 2)
            fullAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
        // If most keys are in use, scanning again soon would find nothing.
        entriesMax = max(1024, fullAt.count * 2)
    }
}
