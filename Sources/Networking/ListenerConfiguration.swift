// The configuration of listeners.

public import TLSEngine

/// The configuration of a listener and its streams.
public struct ListenerConfiguration {
    /// Maximum connections waiting to be accepted.
    public var backlog: Int32 = 1024

    /// Maximum open accepted streams; further connections wait in the backlog.
    public var streamLimit = 16_384

    /// Whether other listeners of the same user may use the same address (SO_REUSEPORT): the kernel
    /// distributes connections among them, so that each of several loops can have its own listener.
    public var sharesPort = false

    /// Loops that own the sockets of accepted streams: each goes to the one with the fewest
    /// streams, which also counts its traffic. If empty, the listener's own loop owns them.
    public var carriers: [StreamCarrier] = []

    /// The limits of each accepted stream.
    public var limits = StreamLimits()

    /// The TLS settings; nil for plain connections.
    public var tls: TLSServerConfiguration?

    /// The permissions of a Unix socket; by default only the process' own user can connect.
    public var unixMode: UInt32 = 0o600

    /// The counters of the streams; several listeners may share them.
    public var figures = ListenerFigures()

    /// The pause when no descriptors are left: the first, and the longest after repeated failures.
    public var backOff: ClosedRange<Duration> = .milliseconds(50) ... .seconds(1)

    /// Whether a connection from this address starts with a PROXY header of version 2, which
    /// contains the client's address. Connections without it are closed.
    public var sendsProxyHeader: (SocketAddress) -> Bool = { _ in false }

    /// Called when the listener pauses and resumes.
    public var onNotice: (ListenerNotice) -> Void = { _ in }

    /// accept4(2); tests replace it to make it fail.
    package var acceptCall: (Int32) -> (result: Int32, address: SocketAddress) = Socket.accept

    /// The defaults.
    public init() {}
}
