// Traffic counters of a listener's streams, as plain integers on their loop.

public import Instruments

/// The counters of one or several listeners of a loop.
public final class ListenerFigures {
    /// The current values. Counting calls no code that could access them (decision 30).
    @exclusivity(unchecked) public internal(set) var traffic = TrafficFigures()

    /// Creates counters at zero.
    public init() {}

    /// Counts a stream that is about to be opened.
    func begin(isEncrypted: Bool) {
        traffic.acceptedCount += 1
        if isEncrypted { traffic.handshakeCount += 1 }
    }
}

/// Traffic counters as a value, so that those of several loops can be added.
public struct TrafficFigures: Sendable {
    /// Accepted connections.
    public internal(set) var acceptedCount = 0
    /// Bytes received from sockets; ciphertext if encrypted.
    public internal(set) var byteCountReceived = 0
    /// Bytes accepted by sockets.
    public internal(set) var byteCountSent = 0
    /// Sends that were handed to the kernel together with others; see `EventLoop.usesIOUring`.
    public internal(set) var batchedSendCount = 0
    /// Time from accepting a connection to the end of its handshake, in seconds.
    public internal(set) var handshakeTimes = Histogram.ofSeconds
    /// Connections that closed before the end of their handshake.
    public internal(set) var handshakeFailureCount = 0
    /// Handshakes that resumed a session.
    public internal(set) var resumedCount = 0
    /// Started handshakes.
    var handshakeCount = 0

    /// Creates counters at zero.
    public init() {}

    /// Handshakes in progress.
    public var handshakesUnderWay: Int {
        handshakeCount - handshakeTimes.count - handshakeFailureCount
    }

    /// Adds the counters of another loop.
    public mutating func add(_ other: TrafficFigures) {
        acceptedCount += other.acceptedCount
        byteCountReceived += other.byteCountReceived
        byteCountSent += other.byteCountSent
        batchedSendCount += other.batchedSendCount
        handshakeTimes.add(other.handshakeTimes)
        handshakeFailureCount += other.handshakeFailureCount
        resumedCount += other.resumedCount
        handshakeCount += other.handshakeCount
    }
}
