// When a failed request is made again.

/// The waits between attempts, and how many there may be.
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts in a row may bring nothing.
    public var attemptsMax = 6
    /// The longest wait before the second attempt; it doubles from attempt to attempt.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest wait of our own choice.
    public var delayMax = Duration.seconds(20)
    /// The longest wait that a host may ask for.
    public var askedDelayMax = Duration.seconds(300)

    /// Six attempts within about half a minute.
    public init() {}

    /// The wait after `failures` failed attempts in a row: drawn from the upper half of what is
    /// allowed, so that many clients do not come back at once, and never shorter than asked for.
    func delay(after failures: Int, asked: Duration?) -> Duration {
        let doubled = firstDelay * Double(1 << min(max(failures - 1, 0), 20))
        let own = min(doubled, delayMax) * Double.random(in: 0.5...1)
        return max(own, min(asked ?? .zero, askedDelayMax))
    }
}
