// What a listener's streams have carried, counted on their loop in plain numbers.

public import Instruments

/// The figures of a listener, or of several on one loop, where it lives.
public final class ListenerFigures {
    /// What was counted so far. What counts calls nobody who could reach it (decision 30).
    @exclusivity(unchecked) public internal(set) var traffic = TrafficFigures()

    /// Nothing counted yet.
    public init() {}

    /// Counts an accepted stream, which is open, and from now on what it carries.
    func begin(_ stream: ByteStream) {
        traffic.acceptedCount += 1
        if stream.isEncrypted { traffic.handshakeCount += 1 }
        stream.figures = self
    }
}

/// What streams have carried, as a value: the figures of several loops add up.
public struct TrafficFigures: Sendable {
    /// Connections that were accepted.
    public internal(set) var acceptedCount = 0
    /// Bytes that came through sockets, as they travelled: ciphertext where they are encrypted.
    public internal(set) var byteCountReceived = 0
    /// Bytes that sockets took.
    public internal(set) var byteCountSent = 0
    /// From accepting a connection to the end of its handshake, in seconds.
    public internal(set) var handshakeTimes = Histogram.ofSeconds
    /// Connections that ended before their handshake did.
    public internal(set) var handshakeFailureCount = 0
    /// Handshakes that went on with an earlier session.
    public internal(set) var resumedCount = 0
    /// Handshakes that have begun.
    var handshakeCount = 0

    /// Nothing yet.
    public init() {}

    /// Handshakes that are under way.
    public var handshakesUnderWay: Int {
        handshakeCount - handshakeTimes.count - handshakeFailureCount
    }

    /// Adds what the streams of another loop have carried.
    public mutating func add(_ other: TrafficFigures) {
        acceptedCount += other.acceptedCount
        byteCountReceived += other.byteCountReceived
        byteCountSent += other.byteCountSent
        handshakeTimes.add(other.handshakeTimes)
        handshakeFailureCount += other.handshakeFailureCount
        resumedCount += other.resumedCount
        handshakeCount += other.handshakeCount
    }
}
