// A listening socket: accepts what comes, and pauses where the process has no descriptors left.

public import EventLoop
import Glibc
public import TLSEngine

/// Listens at an address and hands over each connection as a stream.
///
/// The loop keeps it alive until `close()`.
public final class Listener {
    /// How many connections one turn accepts at most, so that others have their chance.
    private static let acceptsPerTurn = 64

    /// Where it listens: what was asked for, with the port that the system chose for port 0.
    public let address: SocketAddress

    /// What its streams have carried.
    public var figures: ListenerFigures { configuration.figures }

    private let loop: EventLoop
    private var configuration: ListenerConfiguration
    /// The file of a Unix socket of our own, to be removed at the end.
    private let file: UnixSocketFile?
    private let accept: (ByteStream) -> Void
    private var descriptor: FileDescriptor?
    private var registration: Registration?
    private var pause: TimerToken?
    private var nextPause: Duration
    /// How many accepted streams are open, or about to be.
    private var streamCount = 0
    /// Set while there are too many streams, until there is some room again.
    private var isFull = false
    /// Set while accepting fails for want of descriptors.
    private var isExhausted = false

    /// Begins to listen.
    /// - Parameters:
    ///   - loop: the loop that the streams live on.
    ///   - address: where to listen; a Unix socket that nobody listens at any more is replaced.
    ///   - configuration: bounds and permissions.
    ///   - accept: takes each stream and sets its handler. An encrypted stream comes before its
    ///     handshake is done; what is written waits for that.
    /// - Throws: `addressInUse` where somebody listens there, or what else the system says.
    public convenience init(
        loop: EventLoop,
        address: SocketAddress,
        configuration: ListenerConfiguration = ListenerConfiguration(),
        accept: @escaping (ByteStream) -> Void
    ) throws(NetworkError) {
        let socket = try ListeningSocket(address, configuration)
        try self.init(loop: loop, socket: socket, configuration: configuration, accept: accept)
    }

    /// Accepts from a socket that listens already.
    /// - Parameters:
    ///   - loop: the loop that the streams live on.
    ///   - socket: the socket, which is taken over.
    ///   - configuration: bounds; who may connect was decided before.
    ///   - accept: takes each stream and sets its handler.
    /// - Throws: `closed` where another listener has taken the socket; what the system says.
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

    /// Greets the streams that are accepted from now on with another certificate. Those that are
    /// there keep theirs.
    public func replaceCertificate(_ tls: TLSServerConfiguration) { configuration.tls = tls }

    /// Stops listening. Accepted streams go on; the file of a Unix socket of our own is removed.
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
                greet(result, peer.unmapped)
            } else if !canGoOn(after: errno) {
                return
            }
        }
    }

    /// Opens a stream on an accepted socket, at once or when its PROXY header has been read.
    private func greet(_ number: Int32, _ peer: SocketAddress) {
        Socket.sendWithoutDelay(number, peer)
        streamCount += 1
        guard configuration.sendsProxyHeader(peer) else { return open(number, peer) }
        do {
            _ = try ProxyGreeting(
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
        let carriers = configuration.carriers
        if let carrier = carriers.min(by: { $0.streamCount < $1.streamCount }) {
            let tls = configuration.tls
            return begin(carrier.open(number, peer, configuration.limits, tls))
        }
        let socket = FileDescriptor(owning: number)
        // Fails only where there is no memory; the connection is closed then and the next one tried.
        do {
            let stream = try ByteStream(
                loop: loop,
                descriptor: socket,
                peer: peer,
                limits: configuration.limits,
                tls: try configuration.tls.map { try TLSEngine(server: $0) }
            )
            // An encrypted one is watched already, and closed where the loop refuses it.
            guard stream.isOpen else { return streamClosed() }
            figures.begin(stream)
            begin(stream)
        } catch {
            streamClosed()
        }
    }

    private func begin(_ stream: ByteStream) {
        stream.whenClosed = { [weak self] in self?.streamClosed() }
        accept(stream)
    }

    private func streamClosed() {
        streamCount -= 1
        updateInterest()
    }

    /// Accepts while there is room for another stream. Once there was none, a sixty-fourth of all has to be
    /// free again, lest the log should tell of each connection that comes and goes.
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

    /// Whether the next accept has a chance after `error`.
    private func canGoOn(after error: Int32) -> Bool {
        switch error {
        case EAGAIN:
            return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            backOff(error)
            return false
        default:
            // EINTR, or an error of the connection that was waiting, such as ECONNABORTED: it is gone.
            return true
        }
    }

    /// Leaves the connections where they wait, for the level-triggered loop would spin on them.
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

/// Keeps the listener alive in the loop.
private final class ListenerReadiness: ReadinessHandler {
    private let listener: Listener

    init(_ listener: Listener) { self.listener = listener }

    func descriptorReady(_ readiness: Readiness) { listener.acceptConnections() }

    func loopEnded() { listener.close() }
}
