// A result that comes later: the bridge from handlers and callbacks to straight-line async code.

/// Completed once by the loop's synchronous code, awaited by one task of the same loop.
///
/// Not Sendable: all of it happens on the loop's thread, and the waiting task resumes there.
public final class LoopPromise<Success, Failure: Error> {
    private let loop: EventLoop
    private var result: Result<Success, Failure>?
    private var waiter: UnsafeContinuation<Void, Never>?

    /// A promise to a task of `loop`.
    public init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Whether the result is known.
    public var isComplete: Bool { result != nil }

    /// Completes with `value`; ignored where the promise is complete.
    public func succeed(_ value: Success) { complete(.success(value)) }

    /// Completes with `error`; ignored where the promise is complete.
    public func fail(_ error: Failure) { complete(.failure(error)) }

    /// Completes with `result`; ignored where the promise is complete.
    public func complete(_ result: Result<Success, Failure>) {
        guard self.result == nil else { return }
        self.result = result
        waiter?.resume()
        waiter = nil
    }

    /// Waits for the result. To be called once, by a task of the loop.
    /// - Parameter cancelled: called on the loop, soon after the task was cancelled, unless the promise
    ///   is complete by then. It gives up the work and must complete the promise.
    /// - Returns: what `succeed` was given.
    /// - Throws: what `fail` was given.
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
            // Unsafe means unchecked: `complete` resumes once, since it forgets the waiter.
            await withUnsafeContinuation { continuation in
                precondition(waiter == nil, "a promise has one waiter")
                waiter = continuation
            }
        } onCancel: { [executor = loop.executor] in
            // On any thread, and within the runtime's locks: this only leaves a note for the loop.
            executor.submit(.waitCancelled(wait))
        }
    }
}
