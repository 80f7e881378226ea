// Connecting without blocking: a socket, a deadline, and a task that can give up.

public import EventLoop
import Glibc
public import TLSEngine

/// Connects to addresses.
public enum StreamConnector {
    /// Connects to `address`.
    ///
    /// To be called by a task of `loop`. A cancelled task closes the socket that it waits for.
    /// - Parameters:
    ///   - loop: the loop that the stream lives on.
    ///   - address: where somebody listens.
    ///   - deadline: how long it may take, with the handshake.
    ///   - tls: whom to trust; nil for a plain connection.
    ///   - limits: the bounds of the stream.
    /// - Returns: the stream, which reads nothing until its handler is set.
    /// - Throws: `unreachable`, `timedOut`, `cancelled`, `tls`, or what the system says.
    public static func connect(
        loop: EventLoop,
        to address: SocketAddress,
        deadline: Duration,
        tls: TLSClientConfiguration? = nil,
        limits: StreamLimits = StreamLimits()
    ) async throws(NetworkError) -> ByteStream {
        let start = loop.now
        let engine = try makeEngine(tls)
        let socket = try openSocket(for: address)
        Socket.sendWithoutDelay(socket.number, address)
        let result = address.withKernelForm { Glibc.connect(socket.number, $0, $1) }
        if result < 0 {
            // An interrupted connect goes on in the kernel, like one that is in progress.
            guard errno == EINPROGRESS || errno == EINTR else {
                throw .unreachable(address, SystemError.latest("connect"))
            }
            try await finish(loop, socket.number, address, deadline)
        }
        let stream = try ByteStream(
            loop: loop,
            descriptor: socket,
            peer: address,
            limits: limits,
            tls: engine
        )
        try await stream.awaitHandshake(within: deadline - (loop.now - start))
        return stream
    }

    /// Connects to the first of a host's `addresses` that answers.
    ///
    /// To be called by a task of `loop`, like `connect(loop:to:deadline:tls:limits:)`, for each address.
    /// - Parameters:
    ///   - loop: the loop that the stream lives on.
    ///   - addresses: where somebody may listen, the best one first; not empty.
    ///   - deadline: how long each may take, with the handshake.
    ///   - tls: whom to trust; nil for a plain connection.
    /// - Returns: the stream, which reads nothing until its handler is set.
    /// - Throws: what the last of them failed with, or `cancelled`.
    public static func connect(
        loop: EventLoop,
        toFirstOf addresses: [SocketAddress],
        deadline: Duration,
        tls: TLSClientConfiguration? = nil
    ) async throws(NetworkError) -> ByteStream {
        var failure = NetworkError.unknownHost("")
        for address in addresses {
            do throws(NetworkError) {
                return try await connect(loop: loop, to: address, deadline: deadline, tls: tls)
            } catch {
                guard error != .cancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private static func makeEngine(
        _ configuration: TLSClientConfiguration?
    ) throws(NetworkError) -> TLSEngine? {
        guard let configuration else { return nil }
        do { return try TLSEngine(client: configuration) } catch { throw .tls(error) }
    }

    private static func openSocket(
        for address: SocketAddress
    ) throws(NetworkError) -> FileDescriptor {
        do { return try Socket.make(for: address) } catch { throw .system(error) }
    }

    /// Waits until the connect of `descriptor` has ended, and throws where it failed.
    private static func finish(
        _ loop: EventLoop,
        _ descriptor: Int32,
        _ address: SocketAddress,
        _ deadline: Duration
    ) async throws(NetworkError) {
        let connected = LoopPromise<Void, NetworkError>(loop)
        let registration: Registration
        do {
            registration = try loop.register(
                descriptor,
                for: .writable,
                ConnectReadiness(connected)
            )
        } catch {
            throw .system(error)
        }
        defer { registration.cancel() }
        let timer = loop.schedule(after: deadline) { connected.fail(.timedOut) }
        defer { timer.cancel() }
        try await connected.value { connected.fail(.cancelled) }
        let failure: SystemError?
        do { failure = try Socket.pendingError(descriptor) } catch { throw .system(error) }
        if let failure { throw .unreachable(address, failure) }
    }
}

/// Completes a promise when a connect has ended, well or badly.
private final class ConnectReadiness: ReadinessHandler {
    private let connected: LoopPromise<Void, NetworkError>

    init(_ connected: LoopPromise<Void, NetworkError>) { self.connected = connected }

    func descriptorReady(_ readiness: Readiness) { connected.succeed(()) }
}
