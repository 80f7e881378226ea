// Threads for work that blocks or computes for long: password hashing, file reads, name resolution.

import CLinux
import Glibc
import Synchronization

/// A fixed number of threads and a bounded queue before them.
public final class WorkerPool: Sendable {
    private let queue: WorkQueue
    private let threads: Mutex<[pthread_t]>

    /// Starts the threads.
    /// - Parameters:
    ///   - name: the threads' name in debuggers; Linux keeps 15 bytes.
    ///   - threads: how many pieces of work run at once.
    ///   - queueLimit: how many more may wait.
    /// - Throws: where the system has no more threads.
    public init(name: String, threads: Int, queueLimit: Int) throws(SystemError) {
        precondition(threads > 0 && queueLimit > 0, "a pool needs threads and a queue")
        queue = WorkQueue(limit: queueLimit)
        self.threads = Mutex([])
        for _ in 0..<threads {
            let thread = try startThread(name: name) { [queue] in queue.work() }
            self.threads.withLock { $0.append(thread) }
        }
    }

    deinit { stop() }

    /// Runs `work` on one of the pool's threads; the caller resumes where it was, on its loop.
    ///
    /// A cancelled caller resumes at once while its work waits in the queue, and at the work's end
    /// when it has begun.
    /// - Throws: what `work` throws, `WorkerPoolError`, or `CancellationError`.
    public func run<Success: Sendable>(
        _ work: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        let item = WorkItem()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                item.prepare { refusal in
                    if let refusal {
                        continuation.resume(throwing: refusal)
                    } else {
                        continuation.resume(with: Result { try work() })
                    }
                }
                queue.submit(item)
            }
        } onCancel: {
            queue.cancel(item)
        }
    }

    /// Refuses further work, fails what waits, and waits, blocking, for what has begun. Can be called
    /// again.
    public func stop() {
        queue.stop()
        let ending = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ending {
            // The last reference may be dropped by a piece of work, on one of the pool's own threads.
            if pthread_equal(thread, pthread_self()) != 0 {
                pthread_detach(thread)
            } else {
                pthread_join(thread, nil)
            }
        }
    }
}
