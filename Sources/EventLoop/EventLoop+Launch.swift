// Starting a loop on a thread.

import CLinux
import Glibc

extension EventLoop {
    /// A loop runs often and briefly. The kernel prefers it to computing threads, such as an
    /// engine's or those that hash passwords, if it requests shorter slices than they have (1.4 to
    /// 4 ms).
    private static let sliceNanoseconds: UInt64 = 300_000

    /// Starts a thread with a loop that runs until it is stopped.
    ///
    /// - Parameters:
    ///   - name: the thread's name in debuggers; Linux keeps 15 bytes.
    ///   - clock: the loop's time; tests pass a `ManualClock`.
    ///   - body: runs on the loop's thread before the first turn; creates the objects of the loop.
    /// - Returns: the running thread.
    /// - Throws: `SystemError` if no descriptor or thread is available.
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

    /// Runs a loop on the calling thread until it is stopped. A process with one thread has
    /// slightly cheaper system calls. The thread's time slices are restored afterwards.
    ///
    /// - Parameters:
    ///   - clock: the loop's time; tests pass a `ManualClock`.
    ///   - body: runs before the first turn; creates the objects of the loop.
    /// - Throws: `SystemError` if no descriptor is available.
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
        // On older kernels the loop has ordinary time slices.
        let usual = clinux_slice_length()
        _ = clinux_set_slice_length(sliceNanoseconds)
        defer { _ = clinux_set_slice_length(usual) }
        let loop = EventLoop(executor: executor, clock: clock)
        defer { loop.tearDown() }
        body(loop)
        try loop.run()
    }

    /// Runs `body` as a task on a new loop, and stops the loop when `body` returns. For tests and
    /// simple programs.
    /// - Throws: what `body` throws, or a `SystemError` if the loop cannot be created.
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
