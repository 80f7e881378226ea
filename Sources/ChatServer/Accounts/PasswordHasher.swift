// Threads for password hashing: few, since each hash takes 128 MiB and a third of a second, with a
// bounded queue. They run at a lower priority than all others.

package import ChatProtocol
package import EventLoop
import Glibc

/// Runs password hashing on other threads. Lives on one loop.
package final class PasswordHasher {
    private let workers: WorkerPool
    /// Running and queued work.
    private var count = 0
    private let countMax: Int

    /// - Parameters:
    ///   - threads: number of threads.
    ///   - queueLimit: maximum queued work.
    /// - Throws: if the system cannot create the threads.
    package init(threads: Int, queueLimit: Int) throws(SystemError) {
        countMax = threads + queueLimit
        // Work is queued for a moment even if a thread is free, until it wakes up.
        workers = try WorkerPool(name: "hashing", threads: threads, queueLimit: countMax)
    }

    /// Checks that the queue is not full, before a sign-in does anything else.
    /// - Throws: `WireError.busy`.
    package func requireRoom() throws(WireError) {
        guard count < countMax else {
            throw WireError(.busy, "too many people are signing in; try again", retryAfter: 2)
        }
    }

    /// Runs `work` on one of the threads.
    /// - Throws: `WireError.busy` if the queue is full; what `work` throws.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try requireRoom()
        count += 1
        defer { count -= 1 }
        return try await workers.run {
            // On Linux this sets the priority of this thread alone: signed-in users go before
            // sign-ins.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            return try work()
        }
    }
}
