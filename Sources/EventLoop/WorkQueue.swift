// The bounded queue of a thread pool.

import Synchronization

/// A piece of work, which ends exactly once: run, refused or cancelled.
final class WorkItem: Sendable {
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

    /// Runs the work, or refuses it with `refusal`; does nothing if it has already started or
    /// ended.
    func end(_ refusal: (any Error)?) {
        let finish = self.finish.withLock { finish in
            defer { finish = nil }
            return finish
        }
        finish?(refusal)
    }
}

/// The queue of a pool: a mutex, and a semaphore that counts queued items.
final class WorkQueue: Sendable {
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

    /// The body of a thread: runs items until the queue is stopped.
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
