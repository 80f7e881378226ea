// epoll(7) and the table of who waits for which descriptor. The kernel keeps a slot's number and its
// generation beside each descriptor; an event whose generation is not the slot's own is stale and is
// dropped. So handlers may cancel, close and reuse descriptors while a turn's events are handed out.

import CLinux
import Glibc

/// A level-triggered epoll set with its handlers.
struct Poller: ~Copyable {
    /// Events taken from the kernel at once; what is left over comes in the next turn.
    private static let eventsPerTurn = 256

    private struct Slot {
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
        var interest: Interest = []
        var handler: (any ReadinessHandler)?
    }

    /// Names one registration: a slot and the generation that it had then.
    struct Key: Hashable {
        var slot: UInt32
        var generation: UInt32

        var packed: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

        init(slot: UInt32, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }

        init(packed: UInt64) {
            self.init(
                slot: UInt32(truncatingIfNeeded: packed),
                generation: UInt32(truncatingIfNeeded: packed >> 32)
            )
        }
    }

    /// The epoll set, which the executor owns.
    private let epoll: Int32
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    /// The registration that the kernel's entry for a descriptor belongs to.
    private var keyOfDescriptor: [Int32: Key] = [:]
    private var events: [epoll_event]
    private var eventCount = 0

    init(epoll: Int32) {
        self.epoll = epoll
        events = Array(repeating: epoll_event(), count: Self.eventsPerTurn)
    }

    /// How many registrations there are.
    var count: Int { slots.count - freeSlots.count }

    // MARK: Registrations

    mutating func add(
        _ descriptor: Int32,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Key {
        // The number was closed and reused under a registration that nobody cancelled: that one ends.
        if let stale = keyOfDescriptor[descriptor] { remove(stale) }
        let index = freeSlots.popLast() ?? UInt32(slots.count)
        if Int(index) == slots.count { slots.append(Slot()) }
        let key = Key(slot: index, generation: slots[Int(index)].generation)
        do {
            try tellKernel(descriptor, from: [], to: interest, key)
        } catch {
            freeSlots.append(index)
            throw error
        }
        slots[Int(index)].descriptor = descriptor
        slots[Int(index)].interest = interest
        slots[Int(index)].handler = handler
        keyOfDescriptor[descriptor] = key
        return key
    }

    /// Changes what `key` waits for; nothing happens where it was cancelled.
    mutating func update(_ key: Key, _ interest: Interest) throws(SystemError) {
        guard isCurrent(key) else { return }
        let slot = slots[Int(key.slot)]
        guard slot.interest != interest else { return }
        try tellKernel(slot.descriptor, from: slot.interest, to: interest, key)
        slots[Int(key.slot)].interest = interest
    }

    /// Ends the registration `key`; nothing happens where it has ended before.
    mutating func remove(_ key: Key) {
        guard isCurrent(key) else { return }
        let slot = slots[Int(key.slot)]
        keyOfDescriptor[slot.descriptor] = nil
        // Fails where the owner closed the descriptor first; the kernel has forgotten it then.
        try? tellKernel(slot.descriptor, from: slot.interest, to: [], key)
        slots[Int(key.slot)] = Slot(generation: slot.generation &+ 1)
        freeSlots.append(key.slot)
    }

    /// Ends all registrations.
    /// - Returns: the handlers that were registered.
    mutating func removeAll() -> [any ReadinessHandler] {
        let handlers = slots.compactMap { $0.handler }
        for key in Array(keyOfDescriptor.values) { remove(key) }
        return handlers
    }

    private func isCurrent(_ key: Key) -> Bool {
        Int(key.slot) < slots.count && slots[Int(key.slot)].generation == key.generation
            && slots[Int(key.slot)].handler != nil
    }

    /// Brings the kernel's entry from `old` to `new`. Without any interest there is no entry, for
    /// epoll would tell of a hang-up again and again, and nobody would listen.
    private func tellKernel(
        _ descriptor: Int32,
        from old: Interest,
        to new: Interest,
        _ key: Key
    ) throws(SystemError) {
        let operation: Int32
        switch (old.isEmpty, new.isEmpty) {
        case (true, true): return
        case (true, false): operation = EPOLL_CTL_ADD
        case (false, false): operation = EPOLL_CTL_MOD
        case (false, true): operation = EPOLL_CTL_DEL
        }
        var event = epoll_event(
            events: new.epollEvents,
            data: epoll_data_t(u64: key.packed)
        )
        do {
            try systemCall("epoll_ctl") { epoll_ctl(epoll, operation, descriptor, &event) }
        } catch  where error.errno == EEXIST && operation == EPOLL_CTL_ADD {
            // A duplicate kept the entry of a closed descriptor alive; it is ours now.
            try systemCall("epoll_ctl") {
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
            }
        }
    }

    // MARK: Waiting

    /// Waits until something is ready or `milliseconds` have passed (-1: without end).
    mutating func wait(milliseconds: Int32) throws(SystemError) {
        let result = events.withUnsafeMutableBufferPointer { buffer in
            epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        eventCount = 0
        if result >= 0 {
            eventCount = Int(result)
        } else if errno != EINTR {
            // An interrupted wait is an empty turn: timers and jobs get their chance.
            throw SystemError.latest("epoll_wait")
        }
    }

    /// How many events the latest `wait` brought.
    var readyCount: Int { eventCount }

    /// The handler of the event at `index`, or nil where it has been cancelled since.
    func ready(at index: Int) -> (handler: any ReadinessHandler, readiness: Readiness)? {
        let event = events[index]
        let key = Key(packed: event.data.u64)
        guard isCurrent(key), let handler = slots[Int(key.slot)].handler else { return nil }
        let readiness = Readiness(
            epollEvents: event.events,
            interest: slots[Int(key.slot)].interest
        )
        return (handler, readiness)
    }
}
