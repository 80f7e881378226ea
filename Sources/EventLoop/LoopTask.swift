// A handle on a task that runs on a loop.

/// A task that was spawned on a loop. It goes on where this handle is dropped.
public struct LoopTask: Sendable {
    let task: Task<Void, Never>

    /// Asks the task to end: what it waits for is given up, and its next waits fail. From any thread.
    public func cancel() { task.cancel() }

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { task.isCancelled }

    /// Returns when the task has ended.
    public func wait() async { await task.value }
}
