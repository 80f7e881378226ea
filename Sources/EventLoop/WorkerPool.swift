// Threads for work that blocks or computes for long: password hashing, file reads, name resolution.

import CLinux
import Glibc
import Synchronization

/// Why a pool did not take a piece of work.
public enum WorkerPoolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As much waits already as the pool allows.
    case busy
    /// The pool was stopped.
    case stopped

    /// One line for a log.
    public var description: String {
        switch self {
        case .busy: "the worker pool's queue is full"
        case .stopped: "the worker pool has stopped"
        }
    }
}

/// A fixed number of threads and a bounded queue before them.
public final class WorkerPool: Sendable {
    private let queue: WorkQueue
    private let threads: Mutex<[pthread_t]>

    /// Starts the threads.
    /// - Parameters:
    ///   - name: the threads' name in debuggers; Linux keeps 15 bytes.
    ///   - threads: how many pieces of work run at once.
    ///   - queueLimit: how many more may wait.
    /// - Throws: where the system has no more threads.
    public init(name: String, threads: Int, queueLimit: Int) throws(SystemError) {
        precondition(threads > 0 && queueLimit > 0, "a pool needs threads and a queue")
        queue = WorkQueue(limit: queueLimit)
        self.threads = Mutex([])
        for _ in 0..<threads {
            let thread = try startThread(name: name) { [queue] in queue.work() }
            self.threads.withLock { $0.append(thread) }
        }
    }

    deinit { stop() }

    /// Runs `work` on one of the pool's threads; the caller resumes where it was, on its loop.
    ///
    /// A cancelled caller resumes at once while its work waits in the queue, and at the work's end
    /// when it has begun.
    /// - Throws: what `work` throws, `WorkerPoolError`, or `CancellationError`.
    public func run<Success: Sendable>(
        _ work: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        let item = WorkItem()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                item.prepare { refusal in
                    if let refusal {
                        continuation.resume(throwing: refusal)
                    } else {
                        continuation.resume(with: Result { try work() })
                    }
                }
                queue.submit(item)
            }
        } onCancel: {
            queue.cancel(item)
        }
    }

    /// Refuses further work, fails what waits, and waits, blocking, for what has begun. Can be called
    /// again.
    public func stop() {
        queue.stop()
        let ending = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ending {
            // The last reference may be dropped by a piece of work, on one of the pool's own threads.
            if pthread_equal(thread, pthread_self()) != 0 {
                pthread_detach(thread)
            } else {
                pthread_join(thread, nil)
            }
        }
    }
}

/// One piece of work, which ends exactly once: run, refused or cancelled.
private final class WorkItem: Sendable {
    private let finish = Mutex<(@Sendable ((any Error)?) -> Void)?>(nil)
    private let isCancelled = Atomic<Bool>(false)

    func prepare(_ finish: @escaping @Sendable ((any Error)?) -> Void) {
        self.finish.withLock { $0 = finish }
        if isCancelled.load(ordering: .acquiring) { end(CancellationError()) }
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        end(CancellationError())
    }

    /// Runs the work, or refuses it with `refusal`; nothing happens where it has begun or ended.
    func end(_ refusal: (any Error)?) {
        let finish = self.finish.withLock { finish in
            defer { finish = nil }
            return finish
        }
        finish?(refusal)
    }
}

/// The queue before the threads: a mutex, and a semaphore that counts what waits.
private final class WorkQueue: Sendable {
    private struct State {
        var items: [WorkItem] = []
        var isStopped = false
    }

    private let limit: Int
    private let state = Mutex(State())
    private let arrivals = Semaphore()

    init(limit: Int) { self.limit = limit }

    func submit(_ item: WorkItem) {
        let refusal: WorkerPoolError? = state.withLock { state in
            if state.isStopped { return .stopped }
            if state.items.count >= limit { return .busy }
            state.items.append(item)
            return nil
        }
        if let refusal { item.end(refusal) } else { arrivals.signal() }
    }

    func cancel(_ item: WorkItem) {
        state.withLock { $0.items.removeAll { $0 === item } }
        item.cancel()
    }

    func stop() {
        let waiting = state.withLock { state in
            defer { state.items = [] }
            state.isStopped = true
            return state.items
        }
        for item in waiting { item.end(WorkerPoolError.stopped) }
        arrivals.signal()
    }

    /// A thread's life: takes one item after the other until the queue stops.
    func work() {
        while true {
            arrivals.wait()
            let (item, isStopped) = state.withLock { state in
                (state.items.isEmpty ? nil : state.items.removeFirst(), state.isStopped)
            }
            item?.end(nil)
            if isStopped {
                // Each thread wakes the next one.
                arrivals.signal()
                return
            }
        }
    }
}
