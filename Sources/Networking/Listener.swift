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
    public let figures = ListenerFigures()

    private let loop: EventLoop
    private var configuration: ListenerConfiguration
    private let accept: (ByteStream) -> Void
    private var descriptor: FileDescriptor?
    private var registration: Registration?
    private var pause: TimerToken?
    private var nextPause: Duration
    /// How many accepted streams are open.
    private var streamCount = 0

    /// Begins to listen.
    /// - Parameters:
    ///   - loop: the loop that the streams live on.
    ///   - address: where to listen; a Unix socket that nobody listens at any more is replaced.
    ///   - configuration: bounds and permissions.
    ///   - accept: takes each stream and sets its handler. An encrypted stream comes before its
    ///     handshake is done; what is written waits for that.
    /// - Throws: `addressInUse` where somebody listens there, or what else the system says.
    public init(
        loop: EventLoop,
        address: SocketAddress,
        configuration: ListenerConfiguration = ListenerConfiguration(),
        accept: @escaping (ByteStream) -> Void
    ) throws(NetworkError) {
        self.loop = loop
        self.configuration = configuration
        self.accept = accept
        nextPause = configuration.backOff.lowerBound
        let socket = try ListeningSocket.open(address, configuration)
        let number = socket.number
        descriptor = consume socket
        do {
            self.address = try Socket.localAddress(number)
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

    /// Stops listening. Accepted streams go on; a Unix socket's file is removed.
    public func close() {
        guard descriptor != nil else { return }
        if case .unix(let path) = address { unlink(path) }
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
                handOver(FileDescriptor(owning: result), peer)
            } else if !canGoOn(after: errno) {
                return
            }
        }
    }

    private func handOver(_ socket: consuming FileDescriptor, _ peer: SocketAddress) {
        Socket.sendWithoutDelay(socket.number, peer)
        // Fails only where there is no memory; the connection is closed then and the next one tried.
        do {
            let stream = try ByteStream(
                loop: loop,
                descriptor: socket,
                peer: peer,
                limits: configuration.limits,
                tls: try configuration.tls.map { try TLSEngine(server: $0) }
            )
            streamCount += 1
            figures.begin(stream)
            stream.whenClosed = { [weak self] in self?.streamClosed() }
            accept(stream)
        } catch {}
    }

    private func streamClosed() {
        streamCount -= 1
        if pause == nil { updateInterest() }
    }

    /// Accepts while there is room for another stream.
    private func updateInterest() {
        let isFull = streamCount >= configuration.streamLimit
        try? registration?.update(isFull ? [] : .readable)
    }

    /// Whether the next accept has a chance after `error`.
    private func canGoOn(after error: Int32) -> Bool {
        switch error {
        case EAGAIN:
            return false
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            backOff()
            return false
        default:
            // EINTR, or an error of the connection that was waiting, such as ECONNABORTED: it is gone.
            return true
        }
    }

    /// Leaves the connections where they wait, for the level-triggered loop would spin on them.
    private func backOff() {
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
