// Those who wait for a connection: first come, first served, each until its deadline.

import EventLoop

/// Something that waits its turn in a pool.
final class PoolWaiter {
    /// Serves the waiter with a connection.
    let serve: (PoolSlot) -> Void
    /// Tells the waiter that it waited in vain.
    let refuse: (PostgresError) -> Void
    var timer: TimerToken?
    fileprivate(set) var isWaiting = true

    init(serve: @escaping (PoolSlot) -> Void, refuse: @escaping (PostgresError) -> Void) {
        self.serve = serve
        self.refuse = refuse
    }
}

/// A line of waiters.
struct PoolWaiters {
    private var line: [PoolWaiter] = []
    private var head = 0
    /// How many wait.
    private(set) var count = 0

    /// Whether nobody waits.
    var isEmpty: Bool { count == 0 }

    /// Adds a waiter at the end.
    mutating func append(_ waiter: PoolWaiter) {
        line.append(waiter)
        count += 1
    }

    /// Takes the first waiter out.
    mutating func popFirst() -> PoolWaiter? {
        guard count > 0 else { return nil }
        let waiter = line[head]
        remove(waiter)
        return waiter
    }

    /// Takes `waiter` out, wherever it is. Nothing happens where it is out already.
    mutating func remove(_ waiter: PoolWaiter) {
        guard waiter.isWaiting else { return }
        waiter.isWaiting = false
        waiter.timer?.cancel()
        count -= 1
        // Those that left from the middle stay in the array until the head reaches them.
        while head < line.count, !line[head].isWaiting { head += 1 }
        if head == line.count {
            line.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= line.count {
            line.removeFirst(head)
            head = 0
        }
    }
}
