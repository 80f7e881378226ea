// Guards against changes of the toolchain and of our code: an await on the loop costs one local
// enqueue and no wake-up.

import EventLoop
import Testing

private func answer() async -> Int { 42 }

@Suite("Tasks on a loop")
struct ExecutorTests {
    /// Runs `step` many times on one task of `loop` and returns the enqueues for each time.
    private func countersPerStep(
        _ loop: EventLoop,
        _ step: () async throws -> Void
    ) async rethrows -> (local: Double, foreign: Int, wakeUps: Int) {
        let steps = 100
        let before = loop.executor.counters
        for _ in 0..<steps {
            try await step()
            #expect(loop.executor.isCurrent)
        }
        let after = loop.executor.counters
        return (
            Double(after.localEnqueues - before.localEnqueues) / Double(steps),
            after.foreignEnqueues - before.foreignEnqueues,
            after.wakeUps - before.wakeUps
        )
    }

    @Test("awaiting a timer costs one local enqueue and no thread hop")
    func timer() async throws {
        let counters = try await EventLoop.run { loop in
            try await countersPerStep(loop) { try await loop.sleep(for: .zero) }
        }
        #expect(counters == (1, 0, 0))
    }

    @Test("awaiting a continuation costs one local enqueue and no thread hop")
    func continuation() async throws {
        let counters = try await EventLoop.run { loop in
            await countersPerStep(loop) {
                let promise = LoopPromise<Int, Never>(loop)
                loop.atEndOfTurn { promise.succeed(7) }
                let value = await promise.value {}
                #expect(value == 7)
            }
        }
        #expect(counters == (1, 0, 0))
    }

    @Test("awaiting a descriptor costs one local enqueue and no thread hop")
    func readiness() async throws {
        let counters = try await EventLoop.run { loop in
            let pipe = try Pipe()
            let reader = PipeReader(pipe)
            let registration = try loop.register(pipe.reader.number, for: .readable, reader)
            let result = await countersPerStep(loop) {
                let promise = LoopPromise<Void, Never>(loop)
                reader.received = { _ in promise.succeed(()) }
                pipe.write("x")
                await promise.value {}
            }
            registration.cancel()
            return result
        }
        #expect(counters == (1, 0, 0))
    }

    @Test("calling an async function that does not wait costs nothing")
    func plainCall() async throws {
        let counters = try await EventLoop.run { loop in
            await countersPerStep(loop) { #expect(await answer() == 42) }
        }
        #expect(counters == (0, 0, 0))
    }

    @Test("child tasks of a loop's task stay on the loop")
    func childTasks() async throws {
        let foreign = try await EventLoop.run { loop in
            let remote = loop.remote
            async let first = remote.isCurrent
            let others = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 { group.addTask { remote.isCurrent } }
                return await group.reduce(true) { $0 && $1 }
            }
            let isFirstThere = await first
            #expect(isFirstThere && others)
            return loop.executor.counters.foreignEnqueues
        }
        #expect(foreign == 0)
    }

    @Test("a busy task does not starve descriptors")
    func fairness() async throws {
        try await EventLoop.run { loop in
            let pipe = try Pipe()
            let reader = PipeReader(pipe)
            let registration = try loop.register(pipe.reader.number, for: .readable, reader)
            var isDone = false
            reader.received = { _ in isDone = true }
            pipe.write("x")
            while !isDone { await Task.yield() }
            registration.cancel()
        }
    }
}
