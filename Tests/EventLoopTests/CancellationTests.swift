import EventLoop
import Synchronization
import Testing

@Suite("Cancellation and stop")
struct CancellationTests {
    @Test("cancelling a task ends its sleep at once")
    func sleep() async throws {
        try await EventLoop.run(clock: ManualClock()) { loop in
            let ended = LoopPromise<Bool, Never>(loop)
            let task = loop.spawn {
                do {
                    try await loop.sleep(for: .seconds(1))
                    ended.succeed(false)
                } catch {
                    ended.succeed(loop.executor.isCurrent)
                }
            }
            await Task.yield()
            task.cancel()
            #expect(await ended.value {})
        }
    }

    @Test("a task that is cancelled before it starts does not sleep")
    func early() async throws {
        try await EventLoop.run(clock: ManualClock()) { loop in
            let task = loop.spawn { try? await loop.sleep(for: .seconds(1)) }
            task.cancel()
            await task.wait()
            #expect(loop.taskCount == 1)
        }
    }

    @Test("a promise that is complete ignores a cancellation in the same turn")
    func completedFirst() async throws {
        try await EventLoop.run(clock: ManualClock()) { loop in
            let promise = LoopPromise<String, Never>(loop)
            let outcome = LoopPromise<String, Never>(loop)
            let task = loop.spawn {
                outcome.succeed(await promise.value { promise.succeed("cancelled") })
            }
            await Task.yield()
            promise.succeed("done")
            task.cancel()
            #expect(await outcome.value {} == "done")
        }
    }

    @Test("a stopped loop cancels its tasks, lets them finish and runs earlier posts")
    func stopDrains() throws {
        let log = Mutex<[String]>([])
        let thread = try EventLoop.launch(name: "drain", clock: ManualClock()) { loop in
            loop.spawn {
                try? await loop.sleep(for: .seconds(1))
                for _ in 0..<3 { await Task.yield() }
                log.withLock { $0.append("task") }
            }
            loop.atEndOfTurn {
                loop.remote.execute { _ in log.withLock { $0.append("posted") } }
                loop.stop()
            }
        }
        #expect(thread.join() == nil)
        #expect(log.withLock { $0.sorted() } == ["posted", "task"])
    }

    @Test("accepted work is run, even if it was accepted during the last turn")
    func acceptedIsDone() throws {
        for _ in 0..<50 {
            let counts = Mutex((accepted: 0, done: 0))
            let thread = try EventLoop.launch(name: "last") { loop in
                loop.schedule(after: .milliseconds(1)) { loop.stop() }
            }
            while thread.remote.execute({ _ in counts.withLock { $0.done += 1 } }) {
                counts.withLock { $0.accepted += 1 }
            }
            thread.join()
            #expect(counts.withLock { $0.accepted == $0.done })
        }
    }

    @Test("a registered handler is notified when the loop ends")
    func loopEnded() throws {
        let told = Mutex(0)
        let thread = try EventLoop.launch(name: "told") { loop in
            guard let pipe = try? Pipe() else { return }
            let handler = EndHandler(pipe) { told.withLock { $0 += 1 } }
            _ = try? loop.register(pipe.reader.number, for: .readable, handler)
            loop.stop()
        }
        thread.join()
        #expect(told.withLock { $0 } == 1)
    }

    @Test("an ended loop refuses work")
    func ended() throws {
        let mailboxes = Mutex<Mailbox<Int>?>(nil)
        let thread = try EventLoop.launch(name: "ended") { loop in
            let mailbox = loop.mailbox(capacity: 3) { (_: [Int]) in }
            mailboxes.withLock { $0 = mailbox }
            loop.stop()
        }
        thread.join()
        thread.join()
        #expect(!thread.remote.execute { _ in })
        #expect(mailboxes.withLock { $0?.post(1) } == false)
    }

    @Test("objects of a loop are released when the loop ends")
    func noLeaks() async throws {
        let watched = try await EventLoop.run { loop in
            let pipe = try Pipe()
            _ = try loop.register(pipe.reader.number, for: .readable, PipeReader(pipe))
            loop.schedule(after: .seconds(3600)) { _ = pipe }
            return WeakPipe(pipe)
        }
        #expect(watched.pipe == nil)
    }
}

/// Retains a pipe, and reports the loop's end.
private final class EndHandler: ReadinessHandler {
    private let pipe: Pipe
    private let ended: () -> Void

    init(_ pipe: Pipe, ended: @escaping () -> Void) {
        self.pipe = pipe
        self.ended = ended
    }

    func descriptorReady(_ readiness: Readiness) {}

    func loopEnded() { ended() }
}

// Safety: read only after the loop's thread was joined.
private final class WeakPipe: @unchecked Sendable {
    weak var pipe: Pipe?
    init(_ pipe: Pipe) { self.pipe = pipe }
}
