// A promise: connects handlers and callbacks with async code.

/// Completed once by synchronous code of the loop, awaited by one task of the same loop.
///
/// Not Sendable: everything happens on the loop's thread, and the waiting task resumes there.
public final class LoopPromise<Success, Failure: Error> {
    private let loop: EventLoop
    private var result: Result<Success, Failure>?
    private var waiter: UnsafeContinuation<Void, Never>?

    /// Creates a promise for a task of `loop`.
    public init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Whether the result is known.
    public var isComplete: Bool { result != nil }

    /// Completes with `value`; ignored if the promise is already complete.
    public func succeed(_ value: Success) { complete(.success(value)) }

    /// Completes with `error`; ignored if the promise is already complete.
    public func fail(_ error: Failure) { complete(.failure(error)) }

    /// Completes with `result`; ignored if the promise is already complete.
    public func complete(_ result: Result<Success, Failure>) {
        guard self.result == nil else { return }
        self.result = result
        waiter?.resume()
        waiter = nil
    }

    /// Waits for the result. Call it once, on a task of the loop.
    /// - Parameter cancelled: called on the loop soon after the task was cancelled, unless the
    ///   promise is already complete. It aborts the work and must complete the promise.
    /// - Returns: the value of `succeed`.
    /// - Throws: the error of `fail`.
    public func value(cancelled: @escaping () -> Void) async throws(Failure) -> Success {
        if result == nil { await suspend(cancelled) }
        guard let result else { preconditionFailure("a promise resumed before its completion") }
        return try result.get()
    }

    private func suspend(_ cancelled: @escaping () -> Void) async {
        let wait = loop.nextWaitID
        loop.nextWaitID += 1
        loop.cancellations[wait] = { [self] in
            if !isComplete { cancelled() }
        }
        defer { loop.cancellations[wait] = nil }
        await withTaskCancellationHandler {
            // "Unsafe" means unchecked: `complete` resumes once, since it clears the waiter.
            await withUnsafeContinuation { continuation in
                precondition(waiter == nil, "a promise has one waiter")
                waiter = continuation
            }
        } onCancel: { [executor = loop.executor] in
            // Runs on any thread with the runtime's locks held, so it only submits a message to the
            // loop.
            executor.submit(.waitCancelled(wait))
        }
    }
}
