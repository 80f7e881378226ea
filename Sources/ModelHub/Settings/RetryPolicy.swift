// When to retry a failed request.

/// The number of attempts and the delays between them.
public struct RetryPolicy: Sendable, Hashable {
    /// Maximum number of failed attempts in a row.
    public var attemptsMax = 6
    /// Maximum delay before the second attempt; it doubles with each attempt.
    public var firstDelay = Duration.milliseconds(500)
    /// Maximum delay that the policy itself chooses.
    public var delayMax = Duration.seconds(20)
    /// Maximum delay that a host may request.
    public var askedDelayMax = Duration.seconds(300)

    /// Six attempts within about half a minute.
    public init() {}

    /// The delay after `failures` failed attempts in a row: random within the upper half of the
    /// allowed time, so that clients do not retry in step, and at least the requested one.
    func delay(after failures: Int, asked: Duration?) -> Duration {
        let doubled = firstDelay * Double(1 << min(max(failures - 1, 0), 20))
        let own = min(doubled, delayMax) * Double.random(in: 0.5...1)
        return max(own, min(asked ?? .zero, askedDelayMax))
    }
}
