// How a loop gets its thread.

import CLinux
import Glibc

extension EventLoop {
    /// A loop works shortly and often. The kernel puts it before threads that compute, such as an engine's
    /// or those that hash passwords, where it asks for less at once than they have (1.4 to 4 ms).
    private static let sliceNanoseconds: UInt64 = 300_000

    /// Starts a thread, makes a loop on it, and turns until the loop is stopped.
    ///
    /// - Parameters:
    ///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
    ///   - clock: the loop's time; tests pass a `ManualClock`.
    ///   - body: runs on the loop's thread before the first turn: build what lives on the loop in it.
    /// - Returns: the running thread.
    /// - Throws: where the system has no more descriptors or threads.
    public static func launch(
        name: String,
        clock: any LoopClock = SystemClock(),
        _ body: @escaping @Sendable (EventLoop) -> Void
    ) throws(SystemError) -> EventLoopThread {
        let executor = try EpollExecutor()
        let failure = LoopFailure()
        let thread = try startThread(name: name) {
            do throws(SystemError) { try turn(executor, clock, body) } catch {
                failure.error = error
            }
        }
        return EventLoopThread(
            thread: thread,
            remote: EventLoopRemote(executor: executor),
            failure: failure
        )
    }

    /// Turns a loop on the calling thread, which does nothing else meanwhile, until the loop is stopped.
    /// The system calls of a process cost a little less while it has one thread. The thread's time slices
    /// are as long again afterwards as they were before.
    ///
    /// - Parameters:
    ///   - clock: the loop's time; tests pass a `ManualClock`.
    ///   - body: runs before the first turn: build what lives on the loop in it.
    /// - Throws: where the system has no more descriptors.
    public static func runHere(
        clock: any LoopClock = SystemClock(),
        _ body: (EventLoop) -> Void
    ) throws(SystemError) {
        try turn(EpollExecutor(), clock, body)
    }

    private static func turn(
        _ executor: EpollExecutor,
        _ clock: any LoopClock,
        _ body: (EventLoop) -> Void
    ) throws(SystemError) {
        // Where the kernel is older, the loop waits for its turn as everybody does.
        let usual = clinux_slice_length()
        _ = clinux_set_slice_length(sliceNanoseconds)
        defer { _ = clinux_set_slice_length(usual) }
        let loop = EventLoop(executor: executor, clock: clock)
        defer { loop.tearDown() }
        body(loop)
        try loop.run()
    }

    /// Runs `body` as a task on a fresh loop, and ends the loop when `body` has ended. For tests and
    /// for programs that do one thing.
    /// - Throws: what `body` throws, or a `SystemError` where no loop could be made.
    public static func run<Success: Sendable>(
        name: String = "loop",
        clock: any LoopClock = SystemClock(),
        _ body: @escaping @Sendable (EventLoop) async throws -> Success
    ) async throws -> Success {
        var thread: EventLoopThread?
        let result: Result<Success, any Error> = await withCheckedContinuation { finished in
            do {
                thread = try launch(name: name, clock: clock) { loop in
                    loop.spawn {
                        let result: Result<Success, any Error>
                        do { result = .success(try await body(loop)) } catch {
                            result = .failure(error)
                        }
                        loop.stop()
                        finished.resume(returning: result)
                    }
                }
            } catch {
                finished.resume(returning: .failure(error))
            }
        }
        thread?.join()
        return try result.get()
    }
}
