// How a listener listens.

public import TLSEngine

/// How a listener listens and what its streams are like.
public struct ListenerConfiguration {
    /// How many connections may wait to be accepted.
    public var backlog: Int32 = 1024

    /// How many accepted streams are open at most; further ones wait in the backlog.
    public var streamLimit = 16_384

    /// Whether other listeners of the same user may listen at the same address: the kernel shares the
    /// connections out among them, so that each of several loops has a listener of its own.
    public var sharesPort = false

    /// Loops that keep the sockets of accepted streams: each goes to the one that has fewest, which also
    /// counts what it carries. With none, the listener's own loop keeps them all.
    public var carriers: [StreamCarrier] = []

    /// The bounds of each accepted stream.
    public var limits = StreamLimits()

    /// The certificate to show; nil for plain connections.
    public var tls: TLSServerConfiguration?

    /// The permissions of a Unix socket; by default only the process' own user can connect.
    public var unixMode: UInt32 = 0o600

    /// What the streams have carried is counted here; several listeners may share it.
    public var figures = ListenerFigures()

    /// How long the listener pauses when there are no descriptors left: at first, and at most after
    /// several failures in a row.
    public var backOff: ClosedRange<Duration> = .milliseconds(50) ... .seconds(1)

    /// Whether a connection from this address begins with a PROXY header of version 2, which names the
    /// stream's peer. One that does not is closed.
    public var sendsProxyHeader: (SocketAddress) -> Bool = { _ in false }

    /// Told when the listener pauses, and when it goes on.
    public var onNotice: (ListenerNotice) -> Void = { _ in }

    /// accept4(2), which tests replace to let it fail.
    package var acceptCall: (Int32) -> (result: Int32, address: SocketAddress) = Socket.accept

    /// The defaults.
    public init() {}
}
