// What a handler is told about its descriptor.

import CLinux

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// A set with the bits of `rawValue`.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A read will not block.
    public static let readable = Readiness(rawValue: 1)

    /// A write will not block.
    public static let writable = Readiness(rawValue: 2)

    /// The descriptor failed or both sides are shut; the next read or write says what happened.
    public static let hangUp = Readiness(rawValue: 4)

    /// The peer sends no more: after what can be read comes its end. Told with `Interest.edges` only.
    public static let peerEnded = Readiness(rawValue: 8)

    /// The set for what epoll told. A hang-up makes a descriptor ready for all that was wanted,
    /// so that a handler which only reads or only writes meets the error there.
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

/// Is told on the loop's thread when its descriptor is ready.
public protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready for `readiness`. Level-triggered, but for `Interest.edges`: what is left
    /// undone is told again in the next turn. Never called after the registration was cancelled, not
    /// even in the same turn.
    func descriptorReady(_ readiness: Readiness)

    /// The loop ends, and the registration with it: the descriptor can be closed.
    func loopEnded()
}

extension ReadinessHandler {
    /// Does nothing.
    public func loopEnded() {}
}
