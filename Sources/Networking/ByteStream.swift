// A stream connection: bytes are sent through a bounded queue and received by a handler.
// ByteStream+Reading.swift, ByteStream+Writing.swift and ByteStream+Encryption.swift do the work,
// and ByteStream+Carrying.swift if another loop has the socket.

public import EventLoop
import Glibc
package import TLSEngine

/// A connected stream socket on a loop: TCP or Unix, plain or encrypted.
///
/// The loop retains an open stream. A stream reads only while it has a handler. Its socket belongs
/// to the loop or to a `StreamCarrier`; for the owner there is no difference.
public final class ByteStream {
    /// The address of the peer.
    public let peer: SocketAddress

    /// Receives the stream's events. Retained until `streamClosed`; setting it starts reading. Read
    /// and set as a whole (decision 30).
    @exclusivity(unchecked) public var handler: (any StreamHandler)? {
        didSet {
            updateInterest()
            scheduleDelivery()
        }
    }

    /// The limits of this stream.
    public let limits: StreamLimits

    /// The loop that the stream lives on.
    public let loop: EventLoop

    /// Whether reading is paused, so that nothing can be said about the peer's idle time. Read and
    /// set as a whole (decision 30).
    @exclusivity(unchecked) public internal(set) var isReadingPaused = false

    /// The state of one direction of the stream.
    enum Direction { case open, ending, ended }

    /// Read and set as a whole (decision 30).
    @exclusivity(unchecked) var descriptor: FileDescriptor?
    /// Replaces the descriptor if a carrier has the socket.
    private(set) var carried: CarriedSocket?
    /// Counts sent bytes for the owner's loop, on a carrier's stream; nil for others.
    var tally: StreamTally?
    var reading = Direction.open
    var writing = Direction.open
    /// Called when the stream is closed, for counting streams.
    var whenClosed: () -> Void = {}
    /// The counters of the listener; nil for a stream that we opened.
    var figures: ListenerFigures?
    /// The bytes to send, or in an encrypted stream to encrypt. Its methods, and `send(_:)`, call
    /// no code that could access it (decision 30).
    @exclusivity(unchecked) var queue = WriteQueue()
    let encryption: StreamEncryption?
    var isFlushScheduled = false
    /// Whether copied bytes are gathered, because the stream is being read. Then it is unencrypted
    /// and open, its queue is empty, and its high mark is at least the size of the gather buffer.
    var isGathering = false
    /// The number of gathered bytes.
    var gatheredCount = 0
    var waitsForRoom = false
    var needsDrainedCall = false
    /// Set by `closeAfterFlush`: nothing more is delivered, and this timer limits the wait.
    var closeTimer: TimerToken?
    var isClosing: Bool { closeTimer != nil }
    /// Whether `closeAfterFlush` waits for the peer's end.
    var awaitsPeer = true
    /// The number of bytes discarded since then.
    var discardedByteCount = 0
    private var isClosed = false
    private var registration: Registration?
    /// The current interest of the registration.
    private var interest: Interest = []

    /// Takes ownership of `descriptor`, a connected non-blocking socket, and starts the handshake
    /// of `tls`.
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

    /// Creates a stream whose socket a carrier has.
    init(loop: EventLoop, carried: CarriedSocket, peer: SocketAddress, limits: StreamLimits) {
        self.loop = loop
        self.peer = peer
        self.limits = limits
        self.carried = carried
        encryption = nil
    }

    /// Creates two connected streams, for tests and for communication inside a program.
    /// - Returns: both ends; bytes written to one are received by the other.
    /// - Throws: `system` if no descriptor is available.
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

    /// The descriptor number, for tests that control the socket directly; nil if the stream is
    /// closed.
    package var descriptorNumber: Int32? { descriptor?.number }

    // MARK: Closing

    /// Whether the stream has not been closed.
    public var isOpen: Bool { !isClosed }

    /// Closes at once; queued bytes are lost. The handler is notified at the end of the turn.
    public func close() { close(nil) }

    /// Closes with `error`.
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
        if encryption?.isHandshaking == true { figures?.traffic.handshakeFailureCount += 1 }
        encryption?.finishHandshake(.failure(error ?? .closed))
        whenClosed()
        loop.atEndOfTurn { [self] in
            let last = handler
            handler = nil
            last?.streamClosed(self, error)
        }
    }

    /// Closes if both sides have ended.
    func closeIfBothEnded() {
        if reading == .ended, writing == .ended { close(nil) }
    }

    // MARK: Readiness

    /// Updates the registration's interest.
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

    /// Requests another read event in the next turn.
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

/// Retains the stream in the loop, and forwards the loop's calls, so that they are not public
/// methods of the stream.
private final class StreamReadiness: ReadinessHandler {
    private let stream: ByteStream

    init(_ stream: ByteStream) { self.stream = stream }

    func descriptorReady(_ readiness: Readiness) { stream.descriptorReady(readiness) }

    func loopEnded() { stream.close() }
}
