// Threads for computations of seconds: Swift's task pool has one thread per core, and a long computation
// would take one away.

import Dispatch

/// Runs the tasks that prefer it on its own queue.
final class BlockingExecutor: TaskExecutor {
    /// For streamed generations: each has a thread while it computes.
    static let streams = BlockingExecutor(label: "generation", attributes: .concurrent)

    private let queue: DispatchQueue

    init(label: String, attributes: DispatchQueue.Attributes = []) {
        queue = DispatchQueue(label: label, attributes: attributes)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
