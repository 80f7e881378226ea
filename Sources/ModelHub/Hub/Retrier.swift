// Retries with backoff.

import EventLoop

/// Makes attempts until one succeeds, fails permanently, or the limit is reached. Used on its event loop.
final class Retrier {
    private let loop: EventLoop
    private let policy: RetryPolicy
    /// Called before each wait.
    private let waits: (Duration, HubError) -> Void

    init(_ loop: EventLoop, _ policy: RetryPolicy, waits: @escaping (Duration, HubError) -> Void) {
        self.loop = loop
        self.policy = policy
        self.waits = waits
    }

    /// Calls `attempt` again after transient failures, with growing delays. A failed attempt that
    /// advanced `position` resets the count of failures.
    func run<Success>(
        position: () -> Int = { 0 },
        _ attempt: () async throws(HubError) -> Success
    ) async throws(HubError) -> Success {
        var failures = 0
        var before = position()
        while true {
            do throws(HubError) { return try await attempt() } catch {
                let now = position()
                failures = now > before ? 1 : failures + 1
                before = now
                guard error.isTransient, failures < policy.attemptsMax else { throw error }
                try await wait(after: failures, error)
            }
        }
    }

    private func wait(after failures: Int, _ error: HubError) async throws(HubError) {
        var asked: Duration?
        if case .unavailable(_, _, let delay) = error { asked = delay }
        let delay = policy.delay(after: failures, asked: asked)
        waits(delay, error)
        do { try await loop.sleep(for: delay) } catch { throw .cancelled }
    }
}
