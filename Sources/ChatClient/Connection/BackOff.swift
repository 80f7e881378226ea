// Exponential backoff with jitter, so that clients do not reconnect to a restarted server all at once.

/// Delays that double with each attempt, each random within the upper half of its range.
public struct BackOff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var next: Duration

    /// Delays of at most `first`, twice `first`, and so on up to `longest`.
    public init(first: Duration = .milliseconds(500), longest: Duration = .seconds(15)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// The delay before the next attempt.
    public mutating func delay(using generator: inout some RandomNumberGenerator) -> Duration {
        defer { next = min(next * 2, longest) }
        return next * Double.random(in: 0.5...1, using: &generator)
    }

    /// Resets the backoff after a successful attempt.
    public mutating func reset() {
        next = first
    }
}
