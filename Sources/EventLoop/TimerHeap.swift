// Timers ordered by deadline: a binary heap whose entries store their index, so that cancelling
// removes a timer at once (O(log n)) and releases its action.

/// A timer.
final class TimerEntry {
    let deadline: ContinuousClock.Instant
    /// Timers with equal deadlines fire in the order in which they were scheduled.
    let sequence: UInt64
    var action: (() -> Void)?
    /// The heap while the timer is in it, for cancelling the timer.
    fileprivate var heap: TimerHeap?
    fileprivate var index = -1

    init(deadline: ContinuousClock.Instant, sequence: UInt64, action: @escaping () -> Void) {
        self.deadline = deadline
        self.sequence = sequence
        self.action = action
    }

    /// Removes the timer from its heap; does nothing if it has fired or was cancelled.
    func cancel() { heap?.remove(self) }

    fileprivate func isDue(before other: TimerEntry) -> Bool {
        if deadline != other.deadline { return deadline < other.deadline }
        return sequence < other.sequence
    }
}

/// The timers of one loop.
final class TimerHeap {
    private var entries: [TimerEntry] = []
    private var nextSequence: UInt64 = 0

    /// The number of timers.
    var count: Int { entries.count }

    /// The earliest deadline.
    var earliest: ContinuousClock.Instant? { entries.first?.deadline }

    /// The sequence number of the next timer; existing ones have lower numbers.
    var sequenceEnd: UInt64 { nextSequence }

    func insert(
        deadline: ContinuousClock.Instant,
        _ action: @escaping () -> Void
    ) -> TimerEntry {
        let entry = TimerEntry(deadline: deadline, sequence: nextSequence, action: action)
        nextSequence += 1
        entry.heap = self
        entry.index = entries.count
        entries.append(entry)
        moveUp(entry.index)
        return entry
    }

    /// Removes all timers.
    func removeAll() {
        for entry in entries { release(entry) }
        entries = []
    }

    private func release(_ entry: TimerEntry) {
        entry.heap = nil
        entry.action = nil
    }

    /// Removes `entry`, which is in this heap.
    fileprivate func remove(_ entry: TimerEntry) {
        let hole = entry.index
        release(entry)
        let last = entries.removeLast()
        guard last !== entry else { return }
        entries[hole] = last
        last.index = hole
        moveUp(hole)
        moveDown(last.index)
    }

    /// Removes the first timer that is due at `now` and was scheduled before `sequenceEnd`.
    func popDue(at now: ContinuousClock.Instant, before sequenceEnd: UInt64)
        -> (() -> Void)?
    {
        guard let first = entries.first, first.deadline <= now, first.sequence < sequenceEnd else {
            return nil
        }
        let action = first.action
        remove(first)
        return action
    }

    private func moveUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].isDue(before: entries[parent]) else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private func moveDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return }
            let right = left + 1
            let rightIsEarlier =
                right < entries.count && entries[right].isDue(before: entries[left])
            let child = rightIsEarlier ? right : left
            guard entries[child].isDue(before: entries[index]) else { return }
            exchange(index, child)
            index = child
        }
    }

    private func exchange(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        entries[one].index = one
        entries[other].index = other
    }
}
