// epoll(7) and the table of registered handlers, indexed by descriptor number. The kernel assigns
// the lowest free number, so the table is as long as the largest number of open descriptors. With
// each descriptor the kernel stores the number and the slot's generation; an event with another
// generation than the slot's is stale and is dropped. So handlers may cancel, close and reuse
// descriptors while the events of a turn are delivered.

import CLinux
import Glibc

/// An epoll set with its handlers, level-triggered except for `Interest.edges`.
struct Poller: ~Copyable {
    /// Maximum events of one epoll_wait; further ones are returned in the next turn.
    private static let eventsPerTurn = 256

    private struct Slot {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
        var interest: Interest = []
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
    ) throws(SystemError) -> RegistrationKey {
        guard descriptor >= 0 else { throw SystemError(errno: EBADF, operation: "epoll_ctl") }
        let index = Int(descriptor)
        if index < slots.count, slots[index].handler != nil {
            // The descriptor was closed and its number reused without cancelling the registration:
            // cancel it now.
            remove(RegistrationKey(descriptor: descriptor, generation: slots[index].generation))
        }
        let generation = index < slots.count ? slots[index].generation : 0
        let key = RegistrationKey(descriptor: descriptor, generation: generation)
        // Before slots are added, since it fails for a number that is not open.
        try updateKernel(descriptor, from: [], to: interest, key)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].handler = handler
        slots[index].interest = interest
        return key
    }

    /// Changes what `key` waits for; does nothing if it was cancelled.
    mutating func update(_ key: RegistrationKey, _ interest: Interest) throws(SystemError) {
        guard isCurrent(key) else { return }
        let index = Int(key.descriptor)
        guard slots[index].interest != interest else { return }
        try updateKernel(key.descriptor, from: slots[index].interest, to: interest, key)
        slots[index].interest = interest
    }

    /// Asks the kernel to check again whether `key` is ready; does nothing if it was cancelled.
    mutating func rearm(_ key: RegistrationKey) throws(SystemError) {
        guard isCurrent(key) else { return }
        let interest = slots[Int(key.descriptor)].interest
        try updateKernel(key.descriptor, from: interest, to: interest, key)
    }

    /// Cancels the registration `key`; does nothing if it has already ended.
    ///
    /// The kernel removes a descriptor that is closed. If another process still has a duplicate of it,
    /// as between fork(2) and exec(2), late events have an old generation.
    mutating func remove(_ key: RegistrationKey, isClosed: Bool = false) {
        guard isCurrent(key) else { return }
        let index = Int(key.descriptor)
        // Fails if the owner has already closed the descriptor; the kernel has then removed it.
        if !isClosed {
            try? updateKernel(key.descriptor, from: slots[index].interest, to: [], key)
        }
        slots[index] = Slot(generation: key.generation &+ 1)
    }

    /// Cancels all registrations.
    /// - Returns: the handlers that were registered.
    mutating func removeAll() -> [any ReadinessHandler] {
        var handlers: [any ReadinessHandler] = []
        for index in slots.indices {
            guard let handler = slots[index].handler else { continue }
            handlers.append(handler)
            remove(RegistrationKey(descriptor: Int32(index), generation: slots[index].generation))
        }
        return handlers
    }

    private func isCurrent(_ key: RegistrationKey) -> Bool {
        let index = Int(key.descriptor)
        return index < slots.count && slots[index].generation == key.generation
            && slots[index].handler != nil
    }

    /// Changes the kernel's entry from `old` to `new`. Without interest there is no entry, since
    /// epoll would report hang-ups again and again.
    private func updateKernel(
        _ descriptor: Int32,
        from old: Interest,
        to new: Interest,
        _ key: RegistrationKey
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
            // A duplicate of a closed descriptor kept the entry; it is replaced.
            try systemCall("epoll_ctl") {
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
            }
        }
    }

    // MARK: Waiting

    /// Waits until a descriptor is ready or `milliseconds` have passed (-1: no timeout).
    mutating func wait(milliseconds: Int32) throws(SystemError) {
        let result = events.withUnsafeMutableBufferPointer { buffer in
            epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        eventCount = 0
        if result >= 0 {
            eventCount = Int(result)
        } else if errno != EINTR {
            // An interrupted wait counts as an empty turn, in which timers and jobs run.
            throw SystemError.latest("epoll_wait")
        }
    }

    /// The number of events of the latest `wait`.
    var readyCount: Int { eventCount }

    /// The handler of event `index`, or nil if its registration was cancelled since.
    func ready(at eventIndex: Int) -> (handler: any ReadinessHandler, readiness: Readiness)? {
        let event = events[eventIndex]
        let key = RegistrationKey(packed: event.data.u64)
        let index = Int(key.descriptor)
        guard isCurrent(key), let handler = slots[index].handler else { return nil }
        let readiness = Readiness(epollEvents: event.events, interest: slots[index].interest)
        return (handler, readiness)
    }
}
