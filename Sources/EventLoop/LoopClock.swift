// The time of a loop: SystemClock, or ManualClock for tests.

/// A loop's source of time.
public protocol LoopClock: Sendable {
    /// The current time. The loop reads it once a turn.
    var now: ContinuousClock.Instant { get }

    /// How long a loop may sleep if its earliest timer is due at `deadline`; nil means until it is
    /// woken.
    func timeToSleep(until deadline: ContinuousClock.Instant) -> Duration?

    /// Called once by each loop that uses this clock. The clock calls `wake` whenever the time
    /// jumps.
    func onJump(_ wake: @escaping @Sendable () -> Void)
}
