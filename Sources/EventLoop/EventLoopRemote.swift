// Access to a loop from other threads.

/// Submits work to a loop from any thread.
public struct EventLoopRemote: Sendable {
    let executor: EpollExecutor

    /// Runs `job` on the loop's thread, asynchronously. For streams of values use a mailbox.
    /// - Returns: false if the loop has ended or 65,536 jobs are queued; `job` then does not run.
    @discardableResult
    public func execute(_ job: @escaping @Sendable (EventLoop) -> Void) -> Bool {
        executor.submit(.function(job))
    }

    /// Stops the loop; see `EventLoop.stop()`.
    public func stop() { execute { $0.stop() } }

    /// Whether the calling thread is the loop's own.
    public var isCurrent: Bool { executor.isCurrent }
}
