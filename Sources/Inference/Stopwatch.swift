// The times of a run's stages. A value; the caller passes the time.

/// The instants of one run.
struct Stopwatch {
    private let submittedAt: ContinuousClock.Instant
    private let admittedAt: ContinuousClock.Instant
    private var firstTokenAt: ContinuousClock.Instant?
    private var lastTokenAt: ContinuousClock.Instant?
    private var lastThoughtAt: ContinuousClock.Instant?

    /// Creates the times of a run that has a slot and no token.
    init(submittedAt: ContinuousClock.Instant, admittedAt: ContinuousClock.Instant) {
        self.submittedAt = submittedAt
        self.admittedAt = admittedAt
    }

    /// Notes a token.
    /// - Parameters:
    ///   - now: when it was sampled.
    ///   - isThinking: whether it belongs to the thinking part.
    mutating func recordToken(at now: ContinuousClock.Instant, isThinking: Bool) {
        if isThinking { lastThoughtAt = now }
        firstTokenAt = firstTokenAt ?? now
        lastTokenAt = now
    }

    /// Time from the request to its slot.
    var waiting: Duration { admittedAt - submittedAt }
    /// Time from the request to the first token.
    var untilFirstToken: Duration? { firstTokenAt.map { $0 - submittedAt } }
    /// Time from the slot to the first token.
    var prompt: Duration? { firstTokenAt.map { $0 - admittedAt } }

    /// Time from the first token to the last.
    var generation: Duration? {
        guard let firstTokenAt, let lastTokenAt else { return nil }
        return lastTokenAt - firstTokenAt
    }

    /// Time from the first token to the last of the thinking part; nil if this run wrote none of it.
    var thinking: Duration? {
        guard let firstTokenAt, let lastThoughtAt else { return nil }
        return lastThoughtAt - firstTokenAt
    }

    /// The speed of an answer of `count` tokens; nil below two.
    func tokensPerSecond(_ count: Int) -> Double? {
        guard count > 1, let generation, generation > .zero else { return nil }
        return Double(count - 1) / (generation / .seconds(1))
    }
}
