// A thread pool for blocking or long work: password hashing, file reads, name resolution.

import CLinux
import Glibc
import Synchronization

/// A fixed number of threads with a bounded queue.
public final class WorkerPool: Sendable {
    private let queue: WorkQueue
    private let threads: Mutex<[pthread_t]>

    /// Starts the threads.
    /// - Parameters:
    ///   - name: the threads' name in debuggers; Linux keeps 15 bytes.
    ///   - threads: the number of threads.
    ///   - queueLimit: maximum number of queued pieces of work.
    /// - Throws: `SystemError` if no thread is available.
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

    /// Runs `work` on a thread of the pool; the caller resumes on its loop.
    ///
    /// A cancelled caller resumes at once if its work is still queued, otherwise when the work
    /// ends.
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

    /// Refuses new work, fails queued work, and blocks until running work has ended. May be called
    /// again.
    public func stop() {
        queue.stop()
        let ending = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ending {
            // The last reference may be released by a piece of work, on one of the pool's own
            // threads.
            if pthread_equal(thread, pthread_self()) != 0 {
                pthread_detach(thread)
            } else {
                pthread_join(thread, nil)
            }
        }
    }
}
