// An event loop thread for clients whose callers run elsewhere: tests, and programs on Swift's executors.

public import EventLoop

/// A thread with an event loop, for any number of clients.
public final class ClientThread: Sendable {
    let remote: EventLoopRemote

    /// Starts the thread; it ends with this object.
    /// - Throws: if the system has no more threads or descriptors.
    public init(name: String = "client") throws(SystemError) {
        remote = try EventLoop.launch(name: name) { _ in }.remote
    }

    deinit {
        remote.stop()
    }

    /// Runs `body` as a task on the thread's loop.
    /// - Throws: what `body` throws.
    public func run<Success: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async throws -> Success
    ) async throws -> Success {
        try await remote.run(body)
    }
}

extension EventLoopRemote {
    /// Runs `body` as a task on the loop, and waits for it.
    func run<Success: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async throws -> Success
    ) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = execute { loop in
                loop.spawn {
                    do {
                        continuation.resume(returning: try await body(loop))
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
            if !isTaken { continuation.resume(throwing: ChatClientError.closed) }
        }
    }
}
