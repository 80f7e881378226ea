// Pauses between attempts: doubled each time up to a bound, and jittered so that many clients of a
// server that comes back do not all come at once.

/// The pauses of one series of attempts.
struct Backoff {
    private let bounds: ClosedRange<Duration>
    private var upper: Duration

    /// Pauses of up to `bounds.lowerBound` first and up to `bounds.upperBound` later.
    init(_ bounds: ClosedRange<Duration>) {
        self.bounds = bounds
        upper = bounds.lowerBound
    }

    /// The next pause: at least half of the present bound.
    mutating func next() -> Duration {
        let pause = upper * Double.random(in: 0.5...1)
        upper = min(upper * 2, bounds.upperBound)
        return pause
    }

    /// Starts over, after a success.
    mutating func reset() { upper = bounds.lowerBound }
}
