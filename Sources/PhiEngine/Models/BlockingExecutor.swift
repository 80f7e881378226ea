// Threads for what computes for seconds: Swift's task pool has one thread a core, and one that
// computes is missing there.

import Dispatch

/// Runs the tasks that prefer it on a queue of its own.
final class BlockingExecutor: TaskExecutor {
    /// For generations whose answers are streams: each has a thread while it computes.
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
