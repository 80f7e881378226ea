// A clock for tests.

import Synchronization

/// A clock that only moves with `advance(by:)`, which any thread or a loop itself may call.
public final class ManualClock: LoopClock {
    private struct State {
        var now = ContinuousClock.now
        var wakers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a clock.
    public init() {}

    /// The current time of the clock.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// Advances the clock and wakes its loops; each fires the due timers in its next turn.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go backwards")
        let wakers = state.withLock { state in
            state.now += duration
            return state.wakers
        }
        for wake in wakers { wake() }
    }

    /// Zero for a deadline that has passed, otherwise nil: only `advance(by:)` ends the wait.
    public func timeToSleep(until deadline: ContinuousClock.Instant) -> Duration? {
        deadline <= now ? .zero : nil
    }

    /// Registers `wake`, which `advance(by:)` calls.
    public func onJump(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakers.append(wake) }
    }
}
