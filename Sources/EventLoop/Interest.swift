// What a handler wants to hear about its descriptor.

import CLinux

/// What a registration waits for. An empty set waits for nothing: not even a hang-up is told.
public struct Interest: OptionSet, Hashable, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// A set with the bits of `rawValue`.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is something to read, or to accept, or the end of the peer's bytes.
    public static let readable = Interest(rawValue: 1)

    /// There is room to write, or a connect has finished.
    public static let writable = Interest(rawValue: 2)

    /// With the others: what is ready is told when it begins to be, and not again in each turn (which
    /// would have the kernel look at every descriptor once more). Whoever leaves something undone asks
    /// for it by `Registration.rearm()`; each change of the interest asks anew, too.
    public static let edges = Interest(rawValue: 4)

    /// epoll's bits for this set.
    var epollEvents: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
            | (contains(.edges) ? EPOLLET.rawValue | EPOLLRDHUP.rawValue : 0)
    }
}
