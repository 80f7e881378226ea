// The readiness of a descriptor.

import CLinux

/// The operations that a descriptor is ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// One bit for each operation.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A read will not block.
    public static let readable = Readiness(rawValue: 1)

    /// A write will not block.
    public static let writable = Readiness(rawValue: 2)

    /// The descriptor failed or both sides are closed; the next read or write returns the error.
    public static let hangUp = Readiness(rawValue: 4)

    /// The peer has closed its side: after the available bytes comes the end. Only reported with
    /// `Interest.edges`.
    public static let peerEnded = Readiness(rawValue: 8)

    /// Creates a set from epoll's events. A hang-up makes a descriptor ready for everything in the
    /// interest, so that a handler that only reads or only writes gets the error.
    init(epollEvents: UInt32, interest: Interest) {
        var ready: Readiness = []
        if epollEvents & EPOLLIN.rawValue != 0 { ready.insert(.readable) }
        if epollEvents & EPOLLOUT.rawValue != 0 { ready.insert(.writable) }
        if epollEvents & EPOLLRDHUP.rawValue != 0 { ready.insert(.peerEnded) }
        if epollEvents & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            ready.insert(.hangUp)
            if interest.contains(.readable) { ready.insert(.readable) }
            if interest.contains(.writable) { ready.insert(.writable) }
        }
        self = ready
    }
}

/// Receives the readiness of a descriptor on the loop's thread.
package protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready for `readiness`. Level-triggered except for `Interest.edges`:
    /// unfinished readiness is reported again in the next turn. Never called after the registration
    /// was cancelled, not even in the same turn.
    func descriptorReady(_ readiness: Readiness)

    /// The loop ends, and with it the registration: close the descriptor.
    func loopEnded()
}

extension ReadinessHandler {
    /// Does nothing.
    package func loopEnded() {}
}
