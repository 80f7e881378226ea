// What a loop does later.

extension EventLoop {
    /// Runs `action` once, `duration` after the start of this turn, or in the next turn where that is
    /// not positive. The action is kept until it ran or its token cancels it.
    @discardableResult
    public func schedule(after duration: Duration, _ action: @escaping () -> Void) -> TimerToken {
        let entry = timers.insert(deadline: now + max(.zero, duration), action)
        entry.loop = self
        return TimerToken(entry)
    }

    /// Suspends the task for `duration` of the loop's clock.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let awake = LoopPromise<Void, CancellationError>(self)
        let timer = schedule(after: duration) { awake.succeed(()) }
        try await awake.value {
            timer.cancel()
            awake.fail(CancellationError())
        }
    }
}
