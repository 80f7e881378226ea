// A stream connection: bytes are sent through a bounded queue and received by a handler.
// ByteStream+Reading.swift, ByteStream+Writing.swift and ByteStream+Encryption.swift do the work,
// and ByteStream+Carrying.swift if another loop has the socket.
//
// Most streams of a server are idle, and there may be many: the object has 120 bytes, as many
// as fit into an allocation of 128, and refers to others only while they are used.

public import EventLoop
import Glibc
package import TLSEngine

/// A connected stream socket on a loop: TCP or Unix, plain or encrypted.
///
/// The loop retains an open stream. A stream reads only while it has a handler. Its socket belongs
/// to the loop or to a `StreamCarrier`; for the owner there is no difference.
public final class ByteStream {
    let group: StreamGroup

    /// Receives the stream's events. Retained until `streamClosed`; setting it starts reading. Read
    /// and set as a whole (decision 30).
    @exclusivity(unchecked) public var handler: (any StreamHandler)? {
        didSet {
            updateInterest()
            scheduleDelivery()
        }
    }

    /// What is between the stream and the socket.
    private enum Transport {
        case plain
        case encrypted(StreamEncryption)
        /// Another loop, which has the socket.
        case carried(CarriedSocket)
    }

    private var transport: Transport
    /// Counts sent bytes for the owner's loop, on a carrier's stream; nil for others.
    var tally: StreamTally?
    /// The bytes to send, or in an encrypted stream to encrypt. Its methods, and `send(_:)`, call
    /// no code that could access it (decision 30).
    @exclusivity(unchecked) var queue = WriteQueue()
    /// When the stream is closed at the latest; nil while there is no limit.
    var deadline: StreamDeadline?

    /// The address of the peer.
    public let peer: SocketAddress

    /// The state of one direction of the stream.
    enum Direction { case open, ending, ended }

    var reading = Direction.open
    /// The registration of the descriptor.
    private var registration = RegistrationKey.none
    /// Read and set as a whole (decision 30).
    @exclusivity(unchecked) var descriptor: FileDescriptor?
    var writing = Direction.open
    /// The number of gathered bytes, at most `EventLoop.gatherBufferBytes`.
    var gatheredCount: UInt16 = 0
    /// The number of bytes in the loop's batch of sends. While there are any, the queue is empty.
    var batchedCount: UInt16 = 0

    /// Whether reading is paused, so that nothing can be said about the peer's idle time. Read and
    /// set as a whole (decision 30).
    @exclusivity(unchecked) public internal(set) var isReadingPaused = false
    var isFlushScheduled = false
    /// Whether copied bytes are gathered, because the stream is being read. Then it is open, its
    /// queues are empty, and its high mark is at least the size of the gather buffer.
    var isGathering = false
    var waitsForRoom = false
    var needsDrainedCall = false

    /// The phases of the stream's life.
    enum Phase {
        case open
        /// Set by `closeAfterFlush`: nothing more is delivered. The stream is closed when its queue
        /// is sent, or when the peer has then ended, too.
        case closingAfterFlush, closingAfterPeer
        case closed
    }

    var phase = Phase.open

    /// Takes ownership of `descriptor`, a connected non-blocking socket, and starts the handshake
    /// of `tls`.
    package convenience init(
        loop: EventLoop,
        descriptor: consuming FileDescriptor,
        peer: SocketAddress,
        limits: StreamLimits,
        tls: TLSEngine? = nil
    ) throws(NetworkError) {
        try self.init(StreamGroup(loop, limits), descriptor, peer: peer, tls: tls)
    }

    /// The same for a stream of `group`.
    init(
        _ group: StreamGroup,
        _ descriptor: consuming FileDescriptor,
        peer: SocketAddress,
        tls: TLSEngine?
    ) throws(NetworkError) {
        self.group = group
        self.peer = peer
        let encryption = tls.map { StreamEncryption($0, on: group.loop) }
        transport = encryption.map { .encrypted($0) } ?? .plain
        let number = descriptor.number
        self.descriptor = consume descriptor
        do {
            registration = try loop.register(number, for: [], self).key
        } catch {
            throw .system(error)
        }
        if let encryption { beginHandshake(encryption) }
    }

    /// Creates a stream whose socket a carrier has.
    init(_ group: StreamGroup, carried: CarriedSocket, peer: SocketAddress) {
        self.group = group
        self.peer = peer
        transport = .carried(carried)
    }

    /// Creates two connected streams, for tests and for communication inside a program.
    /// - Returns: both ends; bytes written to one are received by the other.
    /// - Throws: `system` if no descriptor is available.
    public static func pair(
        loop: EventLoop,
        limits: StreamLimits = StreamLimits()
    ) throws(NetworkError) -> (ByteStream, ByteStream) {
        try pair(loop, limits, nil, nil)
    }

    /// The same with TLS between both.
    package static func pair(
        loop: EventLoop,
        tls: (TLSEngine, TLSEngine)
    ) throws(NetworkError) -> (ByteStream, ByteStream) {
        try pair(loop, StreamLimits(), tls.0, tls.1)
    }

    private static func pair(
        _ loop: EventLoop,
        _ limits: StreamLimits,
        _ firstTLS: TLSEngine?,
        _ secondTLS: TLSEngine?
    ) throws(NetworkError) -> (ByteStream, ByteStream) {
        let numbers: (Int32, Int32)
        do { numbers = try Socket.pair() } catch { throw .system(error) }
        let first = FileDescriptor(owning: numbers.0)
        let second = FileDescriptor(owning: numbers.1)
        let group = StreamGroup(loop, limits)
        let nameless = SocketAddress.unix(path: "")
        return (
            try ByteStream(group, first, peer: nameless, tls: firstTLS),
            try ByteStream(group, second, peer: nameless, tls: secondTLS)
        )
    }

    /// The loop that the stream lives on.
    public var loop: EventLoop { group.loop }

    /// The limits of this stream.
    public var limits: StreamLimits { group.limits }

    /// The TLS state of an encrypted stream.
    var encryption: StreamEncryption? {
        if case .encrypted(let encryption) = transport { encryption } else { nil }
    }

    /// The socket, if a carrier has it and the stream is open.
    var carried: CarriedSocket? {
        if case .carried(let carried) = transport { carried } else { nil }
    }

    /// The descriptor number, for tests that control the socket directly; nil if the stream is
    /// closed.
    package var descriptorNumber: Int32? { descriptor?.number }

    // MARK: Closing

    /// Whether the stream has not been closed.
    public var isOpen: Bool { phase != .closed }

    /// Whether `closeAfterFlush` was called.
    var isClosing: Bool { phase == .closingAfterFlush || phase == .closingAfterPeer }

    /// Closes at once; queued bytes are lost. The handler is notified at the end of the turn.
    public func close() { close(nil) }

    /// Closes the stream in `duration`, unless `closeAfterFlush` sets another limit before.
    public func close(after duration: Duration) {
        deadline?.timer.cancel()
        deadline = StreamDeadline(loop.schedule(after: duration) { [self] in close(nil) })
    }

    /// Ends the limit of `close(after:)`.
    public func keepOpen() {
        guard !isClosing else { return }
        deadline?.timer.cancel()
        deadline = nil
    }

    /// Closes with `error`.
    func close(_ error: NetworkError?) {
        guard isOpen else { return }
        phase = .closed
        if descriptor != nil {
            loop.cancel(registration, isClosed: true)
            descriptor = nil
        }
        if let carried {
            carried.close()
            transport = .plain
        }
        dropGathered()
        queue.removeAll()
        batchedCount = 0
        deadline?.timer.cancel()
        deadline = nil
        reading = .ended
        writing = .ended
        if let encryption {
            if encryption.isHandshaking { group.figures?.traffic.handshakeFailureCount += 1 }
            encryption.finishHandshake(.failure(error ?? .closed))
        }
        group.whenClosed()
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
        guard descriptor != nil else { return }
        var interest: Interest = []
        if wantsToRead { interest.insert(.readable) }
        if waitsForRoom { interest.insert(.writable) }
        if !interest.isEmpty { interest.insert(.edges) }
        do {
            try loop.update(registration, interest)
        } catch {
            close(.system(error))
        }
    }

    /// Requests another read event in the next turn.
    func readOnNextTurn() {
        guard descriptor != nil, wantsToRead else { return }
        do {
            try loop.rearm(registration)
        } catch {
            close(.system(error))
        }
    }
}

extension ByteStream: ReadinessHandler {
    /// Sends and receives what the socket is ready for.
    package func descriptorReady(_ readiness: Readiness) {
        if readiness.contains(.writable), isOpen { flush() }
        guard readiness.contains(.readable), isOpen else { return }
        guard wantsToRead else { return updateInterest() }
        receive(isAtEnd: !readiness.isDisjoint(with: [.peerEnded, .hangUp]))
    }

    /// Closes.
    package func loopEnded() { close() }
}

extension ByteStream: TurnEndHandler {
    /// Sends what was queued in this turn.
    package func turnEnded() {
        isFlushScheduled = false
        let count = loop.handlerCount
        if !batchQueue(sendCount: count) { flush(sendCount: count) }
    }
}

/// The time limit of a stream that is being closed.
final class StreamDeadline {
    let timer: TimerToken
    /// The number of bytes discarded since `closeAfterFlush`.
    var discardedByteCount = 0

    init(_ timer: TimerToken) { self.timer = timer }
}
