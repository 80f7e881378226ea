// The events that a registration waits for.

import CLinux

/// The events that a registration waits for. With an empty set not even a hang-up is reported.
public struct Interest: OptionSet, Hashable, Sendable {
    /// One bit for each event.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes or a connection can be read, or the peer has closed its side.
    public static let readable = Interest(rawValue: 1)

    /// Bytes can be written, or a connect has finished.
    public static let writable = Interest(rawValue: 2)

    /// Edge-triggered: readiness is reported when it begins, not again in each turn (which makes
    /// the kernel check each descriptor once more). A handler that does not read or write
    /// everything calls `Registration.rearm()`; each change of the interest also rearms.
    public static let edges = Interest(rawValue: 4)

    /// epoll's bits for this set.
    var epollEvents: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
            | (contains(.edges) ? EPOLLET.rawValue | EPOLLRDHUP.rawValue : 0)
    }
}
