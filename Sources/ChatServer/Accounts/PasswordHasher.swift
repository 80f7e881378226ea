// Where passwords are hashed: a few threads, since each hash takes 128 MiB and a third of a second, and a
// bounded number who wait for them. The threads give way to all others.

package import ChatProtocol
package import EventLoop
import Glibc

/// Runs what hashes passwords. Lives on one loop.
package final class PasswordHasher {
    private let workers: WorkerPool
    /// How many are hashed, or wait for it.
    private var count = 0
    private let countMax: Int

    /// - Parameters:
    ///   - threads: how many are hashed at once.
    ///   - queueLimit: how many more may wait.
    /// - Throws: where the system has no more threads.
    package init(threads: Int, queueLimit: Int) throws(SystemError) {
        countMax = threads + queueLimit
        // All wait for a moment, also those for whom a thread is free that has not woken up yet.
        workers = try WorkerPool(name: "hashing", threads: threads, queueLimit: countMax)
    }

    /// Refuses where as many wait as may: to be asked before anything else is done for a sign-in.
    /// - Throws: `WireError.busy`.
    package func requireRoom() throws(WireError) {
        guard count < countMax else {
            throw WireError(.busy, "too many people are signing in; try again", retryAfter: 2)
        }
    }

    /// Runs `work` on one of the threads.
    /// - Throws: `WireError.busy` where too many wait; what `work` throws.
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try requireRoom()
        count += 1
        defer { count -= 1 }
        return try await workers.run {
            // Of this thread alone, as Linux has it: who is signed in goes before who signs in.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            return try work()
        }
    }
}
