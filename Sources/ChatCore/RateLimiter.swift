// How often somebody may ask for something: the generic cell rate algorithm (ITU-T I.371), a bucket of
// tokens that is kept as the one instant at which it will be full again. Time is given to it.

/// Lets each key have so many in a minute: as many at once, and each comes back in its share of the
/// minute.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// How many in a minute.
    public let perMinute: Int
    /// When each key's bucket is full again; keys whose bucket is full are forgotten.
    private var fullAt: [Key: ContinuousClock.Instant] = [:]
    /// At how many keys those are looked for that can be forgotten.
    private var entriesMax = 1024
    /// How many keys are ever kept in mind.
    private static var entriesLimit: Int { 65_536 }

    /// - Parameter perMinute: how many in a minute; at least one.
    public init(perMinute: Int) {
        self.perMinute = max(1, perMinute)
    }

    /// How many keys are kept in mind.
    public var entryCount: Int { fullAt.count }

    /// Takes one from a key's bucket.
    /// - Parameters:
    ///   - key: whose.
    ///   - now: the time.
    /// - Returns: nil where there was one; else how long until there is, and nothing was taken.
    public mutating func take(_ key: Key, now: ContinuousClock.Instant) -> Duration? {
        let share = Duration.seconds(60) / perMinute
        let full = max(fullAt[key] ?? now, now)
        let wait = full + share - now - share * perMinute
        guard wait <= .zero else { return wait }
        if fullAt[key] == nil, fullAt.count >= entriesMax { forget(now) }
        fullAt[key] = full + share
        return nil
    }

    private mutating func forget(_ now: ContinuousClock.Instant) {
        fullAt = fullAt.filter { $0.value > now }
        // Beyond the limit those go who have asked for the least.
        if fullAt.count > Self.entriesLimit / 2 {
            let kept = fullAt.sorted { $0.value > $1.value }.prefix(Self.entriesLimit / 2)
            fullAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        }
        // Where most are in use, looking at all of them again soon would be for nothing.
        entriesMax = max(1024, fullAt.count * 2)
    }
}
