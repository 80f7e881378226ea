// Swift tasks that stay on a loop's thread.

extension EventLoop {
    /// Starts a task whose code runs on this loop's thread only, from the next piece of work on.
    ///
    /// Use this and never a bare `Task`: a bare one goes through the global pool at each await, and the
    /// compiler would not let it use what lives on the loop. A stopping loop cancels its tasks.
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

    /// How many spawned tasks have not ended.
    public var taskCount: Int { tasks.count }
}

/// Carries a value that is not Sendable through the Swift runtime and back to the thread it came from.
///
/// It is made on a loop's thread, and read only by jobs and functions of that loop's executor.
// Safety: `init` and `value` both check that they run on the executor's thread, so no two threads use
// the value. The box is part of a task's body, which the runtime frees where the body ends: there, too.
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
