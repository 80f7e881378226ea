// When the stages of a run began. A value: whoever has a clock tells it the time.

/// The instants of one run.
struct Stopwatch {
    private let submittedAt: ContinuousClock.Instant
    private let admittedAt: ContinuousClock.Instant
    private var firstTokenAt: ContinuousClock.Instant?
    private var lastTokenAt: ContinuousClock.Instant?

    /// A run that has a slot and no token.
    init(submittedAt: ContinuousClock.Instant, admittedAt: ContinuousClock.Instant) {
        self.submittedAt = submittedAt
        self.admittedAt = admittedAt
    }

    mutating func tokenCame(at now: ContinuousClock.Instant) {
        firstTokenAt = firstTokenAt ?? now
        lastTokenAt = now
    }

    /// From the request to its slot.
    var waiting: Duration { admittedAt - submittedAt }
    /// From the request to the first token.
    var untilFirstToken: Duration? { firstTokenAt.map { $0 - submittedAt } }
    /// From the slot to the first token.
    var prompt: Duration? { firstTokenAt.map { $0 - admittedAt } }

    /// From the first token to the last.
    var generation: Duration? {
        guard let firstTokenAt, let lastTokenAt else { return nil }
        return lastTokenAt - firstTokenAt
    }

    /// The pace of an answer of `count` tokens; nil below two, between which no time passes.
    func tokensPerSecond(_ count: Int) -> Double? {
        guard count > 1, let generation, generation > .zero else { return nil }
        return Double(count - 1) / (generation / .seconds(1))
    }
}
