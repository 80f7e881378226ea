// A handle on a task that runs on a loop.

/// A task on a loop. It keeps running if this handle is dropped.
public struct LoopTask: Sendable {
    let task: Task<Void, Never>

    /// Cancels the task: its current and later waits fail. Can be called on any thread.
    public func cancel() { task.cancel() }

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { task.isCancelled }

    /// Returns when the task has ended.
    public func wait() async { await task.value }
}
