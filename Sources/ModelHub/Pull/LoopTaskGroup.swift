// Concurrent tasks on one event loop that end together.

import EventLoop

/// Tasks that end together: when one fails, the others are cancelled.
final class LoopTaskGroup {
    private let ended: LoopPromise<Void, HubError>
    private var tasks: [LoopTask] = []
    private var runningCount: Int
    private var failure: HubError?

    private init(_ loop: EventLoop, count: Int) {
        ended = LoopPromise(loop)
        runningCount = count
    }

    /// Runs `count` tasks of `body` and returns when all have ended.
    /// - Throws: the first failure.
    static func run(
        _ count: Int,
        on loop: EventLoop,
        _ body: @escaping () async throws(HubError) -> Void
    ) async throws(HubError) {
        let group = LoopTaskGroup(loop, count: count)
        for _ in 0..<count {
            let task = loop.spawn {
                do throws(HubError) {
                    try await body()
                    group.taskEnded(nil)
                } catch {
                    group.taskEnded(error)
                }
            }
            group.tasks.append(task)
        }
        try await group.ended.value { group.fail(.cancelled) }
    }

    private func taskEnded(_ error: HubError?) {
        if let error { fail(error) }
        runningCount -= 1
        guard runningCount == 0 else { return }
        if let failure { ended.fail(failure) } else { ended.succeed(()) }
    }

    private func fail(_ error: HubError) {
        guard failure == nil else { return }
        failure = error
        for task in tasks { task.cancel() }
    }
}
