// How long to wait before the next attempt: longer each time, and never the same for all clients, so
// that a server that comes back is not trampled.

/// Delays that double from attempt to attempt, each drawn from the upper half of its range.
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

    /// An attempt succeeded: the next delay is the first again.
    public mutating func reset() {
        next = first
    }
}
