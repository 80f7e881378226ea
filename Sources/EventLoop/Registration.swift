// Registrations of descriptors, and their keys.

/// Identifies a registration: a descriptor and the generation of its slot in the poller.
package struct RegistrationKey: Hashable, Sendable {
    let descriptor: Int32
    let generation: UInt32

    init(descriptor: Int32, generation: UInt32) {
        self.descriptor = descriptor
        self.generation = generation
    }

    /// The key in the data of an epoll event.
    init(packed: UInt64) {
        self.init(
            descriptor: Int32(truncatingIfNeeded: packed),
            generation: UInt32(truncatingIfNeeded: packed >> 32)
        )
    }

    /// The key of no registration.
    package static let none = RegistrationKey(descriptor: -1, generation: 0)

    /// The key as the data of an epoll event.
    var packed: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }
}

/// One descriptor's registration with a loop.
package struct Registration {
    /// Its key, for owners that refer to the loop anyway.
    package let key: RegistrationKey
    private let loop: EventLoop

    init(loop: EventLoop, key: RegistrationKey) {
        self.loop = loop
        self.key = key
    }

    /// Changes the interest. Does nothing after `cancel()`.
    /// - Throws: `SystemError` if epoll refuses, for example because the descriptor is closed.
    package func update(_ interest: Interest) throws(SystemError) {
        try loop.update(key, interest)
    }

    /// Cancels the registration: the handler is released and not called again, not even for an
    /// event of this turn. May be called twice.
    package func cancel() { loop.cancel(key) }
}
