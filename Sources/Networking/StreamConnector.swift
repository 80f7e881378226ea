// Non-blocking connects with a timeout and cancellation.

public import EventLoop
import Glibc
public import TLSEngine

/// Connects to addresses.
public enum StreamConnector {
    /// Connects to `address`.
    ///
    /// Call it on a task of `loop`. Cancelling the task closes the socket.
    /// - Parameters:
    ///   - loop: the loop of the stream.
    ///   - address: the address of the server.
    ///   - deadline: the timeout, including the handshake.
    ///   - tls: the TLS settings; nil for a plain connection.
    ///   - limits: the limits of the stream.
    /// - Returns: the stream, which starts reading when its handler is set.
    /// - Throws: `unreachable`, `timedOut`, `cancelled`, `tls`, or an error of the system.
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
            // An interrupted connect continues in the kernel, like one in progress.
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

    /// Connects to the first of a host's `addresses` that accepts.
    ///
    /// Call it on a task of `loop`, like `connect(loop:to:deadline:tls:limits:)`, which it calls
    /// for each address.
    /// - Parameters:
    ///   - loop: the loop of the stream.
    ///   - addresses: the addresses to try in order; not empty.
    ///   - deadline: the timeout for each, including the handshake.
    ///   - tls: the TLS settings; nil for a plain connection.
    /// - Returns: the stream, which starts reading when its handler is set.
    /// - Throws: the error of the last one, or `cancelled`.
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

    /// Waits for the connect of `descriptor`, and throws if it failed.
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

/// Completes a promise when a connect has succeeded or failed.
private final class ConnectReadiness: ReadinessHandler {
    private let connected: LoopPromise<Void, NetworkError>

    init(_ connected: LoopPromise<Void, NetworkError>) { self.connected = connected }

    func descriptorReady(_ readiness: Readiness) { connected.succeed(()) }
}
