// epoll(7) and the table of who waits for which descriptor. The table is indexed by the descriptor's own
// number, of which the kernel gives out the lowest that is free, so it is as short as there were
// descriptors at once. The kernel keeps the number and the slot's generation beside each descriptor; an
// event whose generation is not the slot's own is stale and is dropped. So handlers may cancel, close
// and reuse descriptors while a turn's events are handed out.

import CLinux
import Glibc

/// An epoll set with its handlers, level-triggered where nobody asks for edges.
struct Poller: ~Copyable {
    /// Events taken from the kernel at once; what is left over comes in the next turn.
    private static let eventsPerTurn = 256

    private struct Slot {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
        var interest: Interest = []
    }

    /// Names one registration: a descriptor and the generation that its slot had then.
    struct Key: Hashable {
        var descriptor: Int32
        var generation: UInt32

        var packed: UInt64 {
            UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        }

        init(descriptor: Int32, generation: UInt32) {
            self.descriptor = descriptor
            self.generation = generation
        }

        init(packed: UInt64) {
            self.init(
                descriptor: Int32(truncatingIfNeeded: packed),
                generation: UInt32(truncatingIfNeeded: packed >> 32)
            )
        }
    }

    /// The epoll set, which the executor owns.
    private let epoll: Int32
    private var slots: [Slot] = []
    private var events: [epoll_event]
    private var eventCount = 0

    init(epoll: Int32) {
        self.epoll = epoll
        events = Array(repeating: epoll_event(), count: Self.eventsPerTurn)
    }

    // MARK: Registrations

    mutating func add(
        _ descriptor: Int32,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Key {
        guard descriptor >= 0 else { throw SystemError(errno: EBADF, operation: "epoll_ctl") }
        let index = Int(descriptor)
        if index < slots.count, slots[index].handler != nil {
            // The number was closed and reused under a registration that nobody cancelled: that one ends.
            remove(Key(descriptor: descriptor, generation: slots[index].generation))
        }
        let generation = index < slots.count ? slots[index].generation : 0
        let key = Key(descriptor: descriptor, generation: generation)
        // First, so that no slots are made for a number that is nobody's.
        try tellKernel(descriptor, from: [], to: interest, key)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].handler = handler
        slots[index].interest = interest
        return key
    }

    /// Changes what `key` waits for; nothing happens where it was cancelled.
    mutating func update(_ key: Key, _ interest: Interest) throws(SystemError) {
        guard isCurrent(key) else { return }
        let index = Int(key.descriptor)
        guard slots[index].interest != interest else { return }
        try tellKernel(key.descriptor, from: slots[index].interest, to: interest, key)
        slots[index].interest = interest
    }

    /// Has the kernel look once more whether `key` is ready; nothing happens where it was cancelled.
    mutating func rearm(_ key: Key) throws(SystemError) {
        guard isCurrent(key) else { return }
        let interest = slots[Int(key.descriptor)].interest
        try tellKernel(key.descriptor, from: interest, to: interest, key)
    }

    /// Ends the registration `key`; nothing happens where it has ended before.
    mutating func remove(_ key: Key) {
        guard isCurrent(key) else { return }
        let index = Int(key.descriptor)
        // Fails where the owner closed the descriptor first; the kernel has forgotten it then.
        try? tellKernel(key.descriptor, from: slots[index].interest, to: [], key)
        slots[index] = Slot(generation: key.generation &+ 1)
    }

    /// Ends all registrations.
    /// - Returns: the handlers that were registered.
    mutating func removeAll() -> [any ReadinessHandler] {
        var handlers: [any ReadinessHandler] = []
        for index in slots.indices {
            guard let handler = slots[index].handler else { continue }
            handlers.append(handler)
            remove(Key(descriptor: Int32(index), generation: slots[index].generation))
        }
        return handlers
    }

    private func isCurrent(_ key: Key) -> Bool {
        let index = Int(key.descriptor)
        return index < slots.count && slots[index].generation == key.generation
            && slots[index].handler != nil
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

    /// The handler of the event at `place`, or nil where it has been cancelled since.
    func ready(at place: Int) -> (handler: any ReadinessHandler, readiness: Readiness)? {
        let event = events[place]
        let key = Key(packed: event.data.u64)
        let index = Int(key.descriptor)
        guard isCurrent(key), let handler = slots[index].handler else { return nil }
        let readiness = Readiness(epollEvents: event.events, interest: slots[index].interest)
        return (handler, readiness)
    }
}
