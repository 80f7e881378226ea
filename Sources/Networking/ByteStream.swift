// A connection as its owner sees it: bytes out through a bounded queue, bytes in through a handler.
// ByteStream+Reading.swift, ByteStream+Writing.swift and ByteStream+Encryption.swift do the work, and
// ByteStream+Carrying.swift where another loop keeps the socket.

public import EventLoop
import Glibc
package import TLSEngine

/// A connected stream socket on a loop: TCP or Unix, plain or encrypted.
///
/// The loop keeps an open stream alive. A stream reads only while it has a handler. Its socket is the
/// loop's own, or a `StreamCarrier`'s; for its owner there is no difference.
public final class ByteStream {
    /// Who is at the other end.
    public let peer: SocketAddress

    /// Gets what arrives. Held strongly until `streamClosed`; setting it starts the reading. Read and set as
    /// a whole (decision 30).
    @exclusivity(unchecked) public var handler: (any StreamHandler)? {
        didSet {
            updateInterest()
            scheduleDelivery()
        }
    }

    /// The bounds of this stream.
    public let limits: StreamLimits

    /// The loop that the stream lives on.
    public let loop: EventLoop

    /// Whether reading was paused, so that the peer's silence says nothing. Read and set as a whole
    /// (decision 30).
    @exclusivity(unchecked) public internal(set) var isReadingPaused = false

    /// How far one direction of the stream has come.
    enum Direction { case open, ending, ended }

    /// Read and set as a whole (decision 30).
    @exclusivity(unchecked) var descriptor: FileDescriptor?
    /// The socket instead, where a carrier keeps it.
    private(set) var carried: CarriedSocket?
    /// What a stream that is kept for another loop tells it of its queue; nil for others.
    var tally: StreamTally?
    var reading = Direction.open
    var writing = Direction.open
    /// Called when the stream has been closed, for who counts streams.
    var whenClosed: () -> Void = {}
    /// Where a listener counts what its streams carry; nil for a stream of our own making.
    var figures: ListenerFigures?
    /// What waits to be sent; in an encrypted stream, to be encrypted. Its methods, and `send(_:)`, call
    /// nobody who could reach it (decision 30).
    @exclusivity(unchecked) var queue = WriteQueue()
    let encryption: StreamEncryption?
    var isFlushScheduled = false
    /// Whether what is copied into the stream is gathered, for it is being read from. Then it is plain
    /// and open, nothing else waits in it, and its high mark is no lower than what is gathered at most.
    var isGathering = false
    /// How much has been gathered.
    var gatheredCount = 0
    var waitsForRoom = false
    var needsDrainedCall = false
    /// Set by `closeAfterFlush`: nothing more is handed over, and this timer ends the wait.
    var closeTimer: TimerToken?
    var isClosing: Bool { closeTimer != nil }
    /// Whether `closeAfterFlush` is to wait for the peer's end.
    var awaitsPeer = true
    /// How much has been thrown away since then.
    var discardedByteCount = 0
    private var isClosed = false
    private var registration: Registration?
    /// What the loop was told last that this stream waits for.
    private var interest: Interest = []

    /// Takes over `descriptor`, a connected non-blocking socket, and begins the handshake of `tls`.
    package init(
        loop: EventLoop,
        descriptor: consuming FileDescriptor,
        peer: SocketAddress,
        limits: StreamLimits,
        tls: TLSEngine? = nil
    ) throws(NetworkError) {
        self.loop = loop
        self.peer = peer
        self.limits = limits
        encryption = tls.map { StreamEncryption($0, at: loop.now) }
        let number = descriptor.number
        self.descriptor = consume descriptor
        do {
            registration = try loop.register(number, for: [], StreamReadiness(self))
        } catch {
            throw .system(error)
        }
        if let encryption { beginHandshake(encryption) }
    }

    /// A stream whose socket a carrier keeps.
    init(loop: EventLoop, carried: CarriedSocket, peer: SocketAddress, limits: StreamLimits) {
        self.loop = loop
        self.peer = peer
        self.limits = limits
        self.carried = carried
        encryption = nil
    }

    /// Two connected streams, for tests and for parts of a program that talk to each other.
    /// - Returns: the two ends; what is written to one arrives at the other.
    /// - Throws: where there are no more descriptors.
    public static func pair(
        loop: EventLoop,
        limits: StreamLimits = StreamLimits()
    ) throws(NetworkError) -> (ByteStream, ByteStream) {
        let numbers: (Int32, Int32)
        do { numbers = try Socket.pair() } catch { throw .system(error) }
        let first = FileDescriptor(owning: numbers.0)
        let second = FileDescriptor(owning: numbers.1)
        let nameless = SocketAddress.unix(path: "")
        return (
            try ByteStream(loop: loop, descriptor: first, peer: nameless, limits: limits),
            try ByteStream(loop: loop, descriptor: second, peer: nameless, limits: limits)
        )
    }

    /// The socket's number, for tests that play a peer by hand; nil where the stream is closed.
    package var descriptorNumber: Int32? { descriptor?.number }

    // MARK: Closing

    /// Whether the stream has not been closed.
    public var isOpen: Bool { !isClosed }

    /// Closes at once; what waits in the queue is lost. The handler hears it at the turn's end.
    public func close() { close(nil) }

    /// Closes because of `error`.
    func close(_ error: NetworkError?) {
        guard isOpen else { return }
        isClosed = true
        registration?.cancel()
        registration = nil
        descriptor = nil
        carried?.close()
        carried = nil
        dropGathered()
        queue.removeAll()
        closeTimer?.cancel()
        closeTimer = nil
        reading = .ended
        writing = .ended
        if encryption?.isShakingHands == true { figures?.traffic.handshakeFailureCount += 1 }
        encryption?.settle(.failure(error ?? .closed))
        whenClosed()
        loop.atEndOfTurn { [self] in
            let last = handler
            handler = nil
            last?.streamClosed(self, error)
        }
    }

    /// Closes where both sides have said all.
    func closeIfBothEnded() {
        if reading == .ended, writing == .ended { close(nil) }
    }

    // MARK: Readiness

    /// Tells the loop what this stream waits for.
    func updateInterest() {
        guard isOpen else { return }
        var interest: Interest = []
        if wantsToRead { interest.insert(.readable) }
        if waitsForRoom { interest.insert(.writable) }
        if !interest.isEmpty { interest.insert(.edges) }
        guard interest != self.interest else { return }
        do {
            try registration?.update(interest)
            self.interest = interest
        } catch {
            close(.system(error))
        }
    }

    fileprivate func descriptorReady(_ readiness: Readiness) {
        if readiness.contains(.writable), isOpen { flush() }
        guard readiness.contains(.readable), isOpen else { return }
        guard wantsToRead else { return updateInterest() }
        receive(isAtEnd: !readiness.isDisjoint(with: [.peerEnded, .hangUp]))
    }

    /// Has the loop tell once more what can be read.
    func readOnNextTurn() {
        guard isOpen, wantsToRead else { return }
        do {
            try registration?.rearm()
        } catch {
            close(.system(error))
        }
    }
}

extension ByteStream: TurnEndHandler {
    /// Sends what was queued in this turn.
    package func turnEnded() {
        isFlushScheduled = false
        flush()
    }
}

/// Keeps the stream alive in the loop, and the loop's call out of the stream's public face.
private final class StreamReadiness: ReadinessHandler {
    private let stream: ByteStream

    init(_ stream: ByteStream) { self.stream = stream }

    func descriptorReady(_ readiness: Readiness) { stream.descriptorReady(readiness) }

    func loopEnded() { stream.close() }
}
