// Where a loop takes its time from: SystemClock, or ManualClock, which a test moves by hand.

/// A loop's source of time.
public protocol LoopClock: Sendable {
    /// The time now. The loop reads it once a turn.
    var now: ContinuousClock.Instant { get }

    /// How long a loop may sleep when its earliest timer is due at `deadline`; nil means until
    /// something else wakes it.
    func timeToSleep(until deadline: ContinuousClock.Instant) -> Duration?

    /// Told once by each loop that uses this clock: call `wake` whenever time has jumped.
    func whenItJumps(_ wake: @escaping @Sendable () -> Void)
}
