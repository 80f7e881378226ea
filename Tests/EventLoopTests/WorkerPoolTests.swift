import EventLoop
import Glibc
import Synchronization
import Testing

@Suite("Worker pools")
struct WorkerPoolTests {
    @Test("work runs on a thread of the pool and its result is returned on the loop")
    func result() async throws {
        let pool = try WorkerPool(name: "work", threads: 1, queueLimit: 1)
        try await EventLoop.run { loop in
            let remote = loop.remote
            let wasOnLoop = try await pool.run { remote.isCurrent }
            #expect(!wasOnLoop)
            #expect(loop.executor.isCurrent)
        }
    }

    @Test("an error of the work is thrown to the caller")
    func failure() async throws {
        let pool = try WorkerPool(name: "work", threads: 1, queueLimit: 1)
        await #expect(throws: SystemError(errno: ENOENT, operation: "open")) {
            try await pool.run { throw SystemError(errno: ENOENT, operation: "open") }
        }
    }

    @Test("a full queue refuses work, and cancelled work is removed from it")
    func bounds() async throws {
        let pool = try WorkerPool(name: "work", threads: 1, queueLimit: 1)
        let gate = Gate()
        try await EventLoop.run { loop in
            let running = loop.spawn { try? await pool.run { gate.pass() } }
            await gate.reached()
            let waiting = loop.spawn {
                let result = await outcome { try await pool.run {} }
                #expect(result is CancellationError)
            }
            await Task.yield()
            let refused = await outcome { try await pool.run {} }
            #expect(refused as? WorkerPoolError == .busy)
            waiting.cancel()
            await waiting.wait()
            gate.open()
            await running.wait()
            let result = try await pool.run { 5 }
            #expect(result == 5)
        }
    }

    @Test("a stopped pool finishes running work, fails queued work and refuses new work")
    func stop() async throws {
        let pool = try WorkerPool(name: "work", threads: 2, queueLimit: 4)
        let gates = [Gate(), Gate()]
        try await EventLoop.run { loop in
            let begun = gates.map { gate in
                loop.spawn {
                    let result = try? await pool.run {
                        gate.pass()
                        return 1
                    }
                    #expect(result == 1)
                }
            }
            for gate in gates { await gate.reached() }
            let waiting = loop.spawn {
                let result = await outcome { try await pool.run {} }
                #expect(result as? WorkerPoolError == .stopped)
            }
            await Task.yield()
            let stopper = Task.detached { pool.stop() }
            await waiting.wait()
            for gate in gates { gate.open() }
            for task in begun { await task.wait() }
            await stopper.value
            let refused = await outcome { try await pool.run {} }
            #expect(refused as? WorkerPoolError == .stopped)
        }
    }
}

/// The error of `body`, or nil if it succeeds.
private func outcome(_ body: () async throws -> Void) async -> (any Error)? {
    do { try await body() } catch { return error }
    return nil
}

/// Blocks a worker's thread until it is opened.
private final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let arrivals = AsyncStream<Void>.makeStream()

    /// Blocks the calling thread.
    func pass() {
        arrivals.continuation.yield()
        while !isOpen.load(ordering: .acquiring) { sched_yield() }
    }

    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() { isOpen.store(true, ordering: .releasing) }
}
