// A circuit breaker: an engine that fails gets no requests for a while, then one, whose result
// decides. A value; the caller has the clock.

/// The breaker of one engine.
public struct CircuitBreaker: Sendable, Hashable {
    /// The state.
    public enum State: Sendable, Hashable {
        /// It gets requests; the number of failures since the last success.
        case closed(failures: Int)
        /// It gets none until an instant; then one. The next pause, if that fails, is twice as long.
        case open(until: ContinuousClock.Instant, pause: Duration)
        /// One request decides.
        case halfOpen(pause: Duration)
    }

    /// How it reacts.
    public struct Rule: Sendable, Hashable {
        /// Failures without a success in between after which it opens.
        public var failuresMax = 3
        /// The first pause.
        public var pauseMin: Duration = .seconds(1)
        /// The longest pause.
        public var pauseMax: Duration = .seconds(30)

        /// Creates the default rule.
        public init() {}
    }

    /// The state.
    public private(set) var state = State.closed(failures: 0)
    private let rule: Rule

    /// Creates a closed breaker.
    public init(_ rule: Rule = Rule()) {
        self.rule = rule
    }

    /// When the next request may be sent; nil while one decides.
    public func nextTry(from now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch state {
        case .closed: now
        case .open(let until, _): max(now, until)
        case .halfOpen: nil
        }
    }

    /// Whether a request may be sent now.
    public func admits(at now: ContinuousClock.Instant) -> Bool { nextTry(from: now) == now }

    /// Notes that a request is sent, which `admits` allowed. Its result must be noted.
    public mutating func begin() {
        if case .open(_, let pause) = state { state = .halfOpen(pause: pause) }
    }

    /// Notes that the engine answers.
    public mutating func succeeded() { state = .closed(failures: 0) }

    /// Notes a request that says nothing about the engine, as it was cancelled or at fault itself.
    public mutating func abandoned(at now: ContinuousClock.Instant) {
        if case .halfOpen(let pause) = state { state = .open(until: now, pause: pause) }
    }

    /// Notes a failure. A late one, of a request that was sent before it opened, changes nothing.
    /// - Parameters:
    ///   - now: the time.
    ///   - opensAtOnce: whether one failure is enough, as of a connection that is refused.
    public mutating func failed(at now: ContinuousClock.Instant, opensAtOnce: Bool = false) {
        switch state {
        case .closed(let failures) where failures + 1 < rule.failuresMax && !opensAtOnce:
            state = .closed(failures: failures + 1)
        case .closed: open(at: now, for: rule.pauseMin)
        case .halfOpen(let pause): open(at: now, for: min(pause * 2, rule.pauseMax))
        case .open: break
        }
    }

    /// Notes that the engine is busy: it gets no request for a while, and has not failed.
    public mutating func paused(at now: ContinuousClock.Instant, for pause: Duration?) {
        let pause = min(max(pause ?? rule.pauseMin, rule.pauseMin), rule.pauseMax)
        if case .open(let until, _) = state, until >= now + pause { return }
        state = .open(until: now + pause, pause: rule.pauseMin)
    }

    private mutating func open(at now: ContinuousClock.Instant, for pause: Duration) {
        state = .open(until: now + pause, pause: pause)
    }
}
