// Exponential backoff with jitter, so that many clients do not reconnect at the same time.

/// The pauses of a series of attempts.
struct Backoff {
    private let bounds: ClosedRange<Duration>
    private var upper: Duration

    /// Creates a backoff with pauses from up to `bounds.lowerBound` to up to `bounds.upperBound`.
    init(_ bounds: ClosedRange<Duration>) {
        self.bounds = bounds
        upper = bounds.lowerBound
    }

    /// The next pause: at least half of the current maximum.
    mutating func next() -> Duration {
        let pause = upper * Double.random(in: 0.5...1)
        upper = min(upper * 2, bounds.upperBound)
        return pause
    }

    /// Resets the pause after a success.
    mutating func reset() { upper = bounds.lowerBound }
}
