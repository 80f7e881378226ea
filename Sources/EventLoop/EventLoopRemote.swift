// What other threads hold of a loop.

/// Hands work to a loop from any thread.
public struct EventLoopRemote: Sendable {
    let executor: EpollExecutor

    /// Runs `job` on the loop's thread, after what it does now. For streams of values use a mailbox.
    /// - Returns: false where the loop has ended, or where 65,536 jobs wait; `job` does not run then.
    @discardableResult
    public func execute(_ job: @escaping @Sendable (EventLoop) -> Void) -> Bool {
        executor.submit(.function(job))
    }

    /// Ends the loop; see `EventLoop.stop()`.
    public func stop() { execute { $0.stop() } }

    /// Whether the calling thread is the loop's own.
    public var isCurrent: Bool { executor.isCurrent }
}
