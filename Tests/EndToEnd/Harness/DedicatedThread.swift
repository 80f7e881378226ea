// End-to-end tests block: on pipes, on sockets, on a browser. Swift has only as many threads as the
// machine has cores, shared by all tests, so these tests run on a dedicated thread.

import Dispatch
import Synchronization
import Testing

/// Runs jobs one after the other on one thread.
final class DedicatedThread: TaskExecutor {
    private struct Work {
        var jobs: [UnownedJob] = []
        var isEnded = false
    }

    private let work = Mutex(Work())
    private let hasWork = DispatchSemaphore(value: 0)

    init() {
        // A dispatch queue whose work never returns is a thread.
        DispatchQueue(label: "end-to-end tests").async { [self] in run() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        work.withLock { $0.jobs.append(job) }
        hasWork.signal()
    }

    /// Ends the thread when no work is queued.
    func end() {
        work.withLock { $0.isEnded = true }
        hasWork.signal()
    }

    private func run() {
        while true {
            hasWork.wait()
            let (job, isEnded) = work.withLock { work in
                (work.jobs.isEmpty ? nil : work.jobs.removeFirst(), work.isEnded)
            }
            if let job {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isEnded {
                return
            }
        }
    }
}

/// Runs a suite's tests on a thread that they may block.
struct OnADedicatedThread: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let thread = DedicatedThread()
        defer { thread.end() }
        try await withTaskExecutorPreference(thread) { try await function() }
    }
}

extension Trait where Self == OnADedicatedThread {
    /// The suite's tests may block.
    static var onADedicatedThread: Self { Self() }
}
