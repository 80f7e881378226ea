// Time that a test moves by hand.

import Synchronization

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
