// Where a loop takes its time from: the system's clock, or one that a test moves by hand.

import Synchronization

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
    public func whenItJumps(_ wake: @escaping @Sendable () -> Void) {}
}

/// A clock for tests: it stands still until `advance(by:)`, from any thread or from a loop itself.
public final class ManualClock: LoopClock {
    private struct State {
        var now = ContinuousClock.now
        var wakers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// A clock that stands still.
    public init() {}

    /// The time that the clock shows.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// Moves the clock on and wakes its loops; each fires what is due in its next turn.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go backwards")
        let wakers = state.withLock { state in
            state.now += duration
            return state.wakers
        }
        for wake in wakers { wake() }
    }

    /// Zero for a deadline that has come, else without end: only `advance(by:)` brings it nearer.
    public func timeToSleep(until deadline: ContinuousClock.Instant) -> Duration? {
        deadline <= now ? .zero : nil
    }

    /// Keeps `wake` for `advance(by:)`.
    public func whenItJumps(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakers.append(wake) }
    }
}
