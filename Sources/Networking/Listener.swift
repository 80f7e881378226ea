// A listener: accepts connections, and pauses when the process has no descriptors left.

public import EventLoop
import Glibc
public import TLSEngine

/// Listens at an address and passes on each connection as a stream.
///
/// The loop retains it until `close()`.
public final class Listener {
    /// Maximum connections accepted in one turn, so that other descriptors are served.
    private static let acceptsPerTurn = 64

    /// The address, with the port that the system selected for port 0.
    public let address: SocketAddress

    /// The counters of its streams.
    public var figures: ListenerFigures { configuration.figures }

    private let loop: EventLoop
    private var configuration: ListenerConfiguration
    /// The file of a Unix socket that we created, to remove at the end.
    private let file: UnixSocketFile?
    private let accept: (ByteStream) -> Void
    /// What its streams have in common.
    private var group: StreamGroup?
    private var descriptor: FileDescriptor?
    private var registration: Registration?
    private var pause: TimerToken?
    private var nextPause: Duration
    /// The number of accepted streams that are open or being opened.
    private var streamCount = 0
    /// Set when the limit of streams is reached, until enough are closed.
    private var isFull = false
    /// Set while accepting fails because no descriptors are left.
    private var isExhausted = false

    /// Starts to listen.
    /// - Parameters:
    ///   - loop: the loop of the streams.
    ///   - address: the address; a Unix socket that no process listens on any more is replaced.
    ///   - configuration: limits and permissions.
    ///   - accept: receives each stream and sets its handler. An encrypted stream is passed before
    ///     its handshake is complete; written bytes wait for it.
    /// - Throws: `addressInUse` if another socket listens there, or another error of the system.
    public convenience init(
        loop: EventLoop,
        address: SocketAddress,
        configuration: ListenerConfiguration = ListenerConfiguration(),
        accept: @escaping (ByteStream) -> Void
    ) throws(NetworkError) {
        let socket = try ListeningSocket(address, configuration)
        try self.init(loop: loop, socket: socket, configuration: configuration, accept: accept)
    }

    /// Creates a listener for a socket that already listens.
    /// - Parameters:
    ///   - loop: the loop of the streams.
    ///   - socket: the socket, whose ownership is taken.
    ///   - configuration: limits; its permissions are not applied.
    ///   - accept: receives each stream and sets its handler.
    /// - Throws: `closed` if another listener has taken the socket; an error of the system.
    public init(
        loop: EventLoop,
        socket: ListeningSocket,
        configuration: ListenerConfiguration = ListenerConfiguration(),
        accept: @escaping (ByteStream) -> Void
    ) throws(NetworkError) {
        self.loop = loop
        self.configuration = configuration
        self.accept = accept
        address = socket.address
        nextPause = configuration.backOff.lowerBound
        guard let opened = socket.take() else { throw .closed }
        file = opened.file
        let owned = opened.descriptor
        let number = owned.number
        descriptor = consume owned
        Socket.sendWithoutDelay(number, address)
        group = StreamGroup(loop, configuration.limits, configuration.figures) { [weak self] in
            self?.streamClosed()
        }
        do {
            registration = try loop.register(
                number,
                for: .readable,
                ListenerReadiness(self)
            )
        } catch {
            throw .system(error)
        }
    }

    /// Uses another certificate for streams accepted from now on. Existing streams keep theirs.
    public func replaceCertificate(_ tls: TLSServerConfiguration) { configuration.tls = tls }

    /// Stops listening. Accepted streams stay open; the file of our own Unix socket is removed.
    public func close() {
        guard descriptor != nil else { return }
        file?.remove()
        pause?.cancel()
        registration?.cancel()
        registration = nil
        descriptor = nil
    }

    fileprivate func acceptConnections() {
        for _ in 0..<Self.acceptsPerTurn {
            guard let number = descriptor?.number else { return }
            guard streamCount < configuration.streamLimit else { return updateInterest() }
            let (result, peer) = configuration.acceptCall(number)
            if result >= 0 {
                nextPause = configuration.backOff.lowerBound
                if isExhausted {
                    isExhausted = false
                    configuration.onNotice(.resumed)
                }
                openAccepted(result, peer.unmapped)
            } else if !canRetry(after: errno) {
                return
            }
        }
    }

    /// Opens a stream on an accepted socket, at once or after its PROXY header.
    private func openAccepted(_ number: Int32, _ peer: SocketAddress) {
        streamCount += 1
        guard configuration.sendsProxyHeader(peer) else { return open(number, peer) }
        do {
            _ = try ProxyHandshake(
                loop: loop,
                number: number,
                peer: peer,
                deadline: configuration.limits.handshakeLimit
            ) { [weak self] address in
                if let self, let address {
                    open(number, address)
                } else {
                    Glibc.close(number)
                    self?.streamClosed()
                }
            }
        } catch {
            Glibc.close(number)
            streamClosed()
        }
    }

    private func open(_ number: Int32, _ peer: SocketAddress) {
        guard let group else { return }
        let carriers = configuration.carriers
        if let carrier = carriers.min(by: { $0.streamCount < $1.streamCount }) {
            return accept(carrier.open(number, peer, group, configuration.tls))
        }
        let socket = FileDescriptor(owning: number)
        // Fails only if memory is exhausted; the connection is then closed.
        do {
            let tls = try configuration.tls.map { try TLSEngine(server: $0) }
            figures.begin(isEncrypted: tls != nil)
            let stream = try ByteStream(group, socket, peer: peer, tls: tls)
            // An encrypted stream is already registered, and closed if the loop refuses it.
            if stream.isOpen { accept(stream) }
        } catch {
            streamClosed()
        }
    }

    private func streamClosed() {
        streamCount -= 1
        updateInterest()
    }

    /// Accepts while the limit of streams is not reached. After that 1/64 of the streams must have
    /// closed before accepting resumes, so that the log does not get a line for each connection.
    private func updateInterest() {
        guard descriptor != nil else { return }
        let limit = configuration.streamLimit
        if !isFull, streamCount >= limit {
            isFull = true
            configuration.onNotice(.full(streamCount: streamCount))
        } else if isFull, streamCount < limit - limit / 64 {
            isFull = false
            configuration.onNotice(.resumed)
        }
        if pause == nil { try? registration?.update(isFull ? [] : .readable) }
    }

    /// Whether to retry accept after `error`.
    private func canRetry(after error: Int32) -> Bool {
        switch error {
        case EAGAIN:
            return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            backOff(error)
            return false
        default:
            // EINTR, or an error of the waiting connection, such as ECONNABORTED, which has been
            // removed.
            return true
        }
    }

    /// Pauses accepting, since the level-triggered loop would spin on waiting connections.
    private func backOff(_ error: Int32) {
        if !isExhausted {
            isExhausted = true
            configuration.onNotice(.exhausted(SystemError(errno: error, operation: "accept")))
        }
        try? registration?.update([])
        pause = loop.schedule(after: nextPause) { [weak self] in
            self?.pause = nil
            self?.updateInterest()
        }
        nextPause = min(nextPause * 2, configuration.backOff.upperBound)
    }
}

/// Retains the listener in the loop.
private final class ListenerReadiness: ReadinessHandler {
    private let listener: Listener

    init(_ listener: Listener) { self.listener = listener }

    func descriptorReady(_ readiness: Readiness) { listener.acceptConnections() }

    func loopEnded() { listener.close() }
}
