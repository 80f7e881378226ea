// Timers in the order of their deadlines: a binary heap whose entries know their place, so that a
// cancelled timer leaves at once (O(log n)) and keeps nothing alive.

/// One timer. It is in the heap while `place` is not negative.
final class TimerEntry {
    let deadline: ContinuousClock.Instant
    /// Timers of equal deadlines fire in the order in which they were scheduled.
    let sequence: UInt64
    var action: (() -> Void)?
    /// Whose timer it is, for who cancels it.
    weak var loop: EventLoop?
    fileprivate var place = -1

    init(deadline: ContinuousClock.Instant, sequence: UInt64, action: @escaping () -> Void) {
        self.deadline = deadline
        self.sequence = sequence
        self.action = action
    }

    fileprivate func isDue(before other: TimerEntry) -> Bool {
        if deadline != other.deadline { return deadline < other.deadline }
        return sequence < other.sequence
    }
}

/// The timers of one loop.
struct TimerHeap {
    private var entries: [TimerEntry] = []
    private var nextSequence: UInt64 = 0

    /// How many timers wait.
    var count: Int { entries.count }

    /// When the first timer is due.
    var earliest: ContinuousClock.Instant? { entries.first?.deadline }

    /// The sequence number of the next timer: those below it exist already.
    var sequenceEnd: UInt64 { nextSequence }

    mutating func insert(
        deadline: ContinuousClock.Instant,
        _ action: @escaping () -> Void
    ) -> TimerEntry {
        let entry = TimerEntry(deadline: deadline, sequence: nextSequence, action: action)
        nextSequence += 1
        entry.place = entries.count
        entries.append(entry)
        moveUp(entry.place)
        return entry
    }

    /// Takes `entry` out; nothing happens where it has fired or was cancelled.
    mutating func remove(_ entry: TimerEntry) {
        guard entry.place >= 0 else { return }
        let hole = entry.place
        entry.place = -1
        entry.action = nil
        let last = entries.removeLast()
        guard last !== entry else { return }
        entries[hole] = last
        last.place = hole
        moveUp(hole)
        moveDown(last.place)
    }

    /// Takes out the first timer that is due at `now` and was scheduled before `sequenceEnd`.
    mutating func popDue(at now: ContinuousClock.Instant, before sequenceEnd: UInt64)
        -> (() -> Void)?
    {
        guard let first = entries.first, first.deadline <= now, first.sequence < sequenceEnd else {
            return nil
        }
        let action = first.action
        remove(first)
        return action
    }

    private mutating func moveUp(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].isDue(before: entries[parent]) else { return }
            exchange(place, parent)
            place = parent
        }
    }

    private mutating func moveDown(_ start: Int) {
        var place = start
        while true {
            let left = 2 * place + 1
            guard left < entries.count else { return }
            let right = left + 1
            let rightIsEarlier =
                right < entries.count && entries[right].isDue(before: entries[left])
            let child = rightIsEarlier ? right : left
            guard entries[child].isDue(before: entries[place]) else { return }
            exchange(place, child)
            place = child
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        entries[one].place = one
        entries[other].place = other
    }
}
