// The clock of production.

/// The system's monotonic clock.
public struct SystemClock: LoopClock {
    /// The system's clock.
    public init() {}

    /// The time now.
    public var now: ContinuousClock.Instant { .now }

    /// The time left until `deadline`, at least zero.
    public func timeToSleep(until deadline: ContinuousClock.Instant) -> Duration? {
        max(.zero, deadline - .now)
    }

    /// This clock never jumps.
    public func onJump(_ wake: @escaping @Sendable () -> Void) {}
}
