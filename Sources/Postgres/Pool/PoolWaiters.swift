// The queue for connections: first come, first served, each with a timeout.

import EventLoop

/// A waiting query or transaction.
final class PoolWaiter {
    /// Called with a connection, and this waiter.
    private let serve: (PoolSlot, PoolWaiter) -> Void
    /// Called with an error if there was no connection in time.
    let refuse: (PostgresError) -> Void
    var timer: TimerToken?
    /// When it got a connection, if it notes that.
    var servedAt: ContinuousClock.Instant?
    fileprivate(set) var isWaiting = true

    init(
        serve: @escaping (PoolSlot, PoolWaiter) -> Void,
        refuse: @escaping (PostgresError) -> Void
    ) {
        self.serve = serve
        self.refuse = refuse
    }

    /// Gives it a connection.
    func serve(with slot: PoolSlot) { serve(slot, self) }

    /// When its wait ended; `now` if it got no connection.
    func endedAt(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant { servedAt ?? now }
}

/// A FIFO queue of waiters.
struct PoolWaiters {
    private var queue: [PoolWaiter] = []
    private var head = 0
    /// The number of waiters.
    private(set) var count = 0

    /// Whether the queue is empty.
    var isEmpty: Bool { count == 0 }

    /// Appends a waiter.
    mutating func append(_ waiter: PoolWaiter) {
        queue.append(waiter)
        count += 1
    }

    /// Removes and returns the first waiter.
    mutating func popFirst() -> PoolWaiter? {
        guard count > 0 else { return nil }
        let waiter = queue[head]
        remove(waiter)
        return waiter
    }

    /// Removes `waiter`. Does nothing if it was already removed.
    mutating func remove(_ waiter: PoolWaiter) {
        guard waiter.isWaiting else { return }
        waiter.isWaiting = false
        waiter.timer?.cancel()
        count -= 1
        // Waiters removed from the middle stay in the array until the head reaches them.
        while head < queue.count, !queue[head].isWaiting { head += 1 }
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= queue.count {
            queue.removeFirst(head)
            head = 0
        }
    }
}
