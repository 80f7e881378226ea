// Timers.

extension EventLoop {
    /// Runs `action` once, `duration` after the start of this turn, or in the next turn if
    /// `duration` is not positive. The action is retained until it has run or the token cancels it.
    @discardableResult
    public func schedule(after duration: Duration, _ action: @escaping () -> Void) -> TimerToken {
        TimerToken(timers.insert(deadline: now + max(.zero, duration), action))
    }

    /// Suspends the task for `duration` of the loop's clock.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let awake = LoopPromise<Void, CancellationError>(self)
        let timer = schedule(after: duration) { awake.succeed(()) }
        try await awake.value {
            timer.cancel()
            awake.fail(CancellationError())
        }
    }
}
