// Swift tasks that run on a loop's thread only.

extension EventLoop {
    /// Starts a task that runs on this loop's thread only, from the next piece of work on.
    ///
    /// Use this instead of `Task`: a plain task goes through the global pool at each await, and the
    /// compiler does not let it use non-Sendable objects of the loop. `stop` cancels the loop's
    /// tasks.
    @discardableResult
    public func spawn(_ body: @escaping () async -> Void) -> LoopTask {
        let id = nextTaskID
        nextTaskID += 1
        let whole = OnLoop(executor) { [weak self] in
            await body()
            self?.tasks[id] = nil
        }
        let task = Task(executorPreference: executor) { await whole.value() }
        tasks[id] = task
        if isStopping { task.cancel() }
        return LoopTask(task: task)
    }

    /// The number of running tasks.
    public var taskCount: Int { tasks.count }
}

/// Passes a non-Sendable value through the Swift runtime and back to the thread that it came from.
///
/// Created on a loop's thread, and read only by jobs and functions of that loop's executor.
// Safety: `init` and `value` check that they run on the executor's thread, so no two threads use
// the value. The box is part of a task's body, which the runtime also frees on that thread.
private struct OnLoop<Value>: @unchecked Sendable {
    private let executor: EpollExecutor
    private let content: Value

    init(_ executor: EpollExecutor, _ value: Value) {
        precondition(executor.isCurrent, "must be called on the loop's thread")
        self.executor = executor
        content = value
    }

    var value: Value {
        precondition(executor.isCurrent, "must be called on the loop's thread")
        return content
    }
}
