// An open WebSocket to the server: converts frames to text messages and back. It does not interpret the
// messages.

import ChatProtocol
import EventLoop
import HTTPProtocol
import Networking
import WebSocketProtocol

/// An open WebSocket. Used on its event loop.
final class WebSocketLink {
    /// How a connection ended.
    struct End {
        /// The peer's close code; 1006 if it sent none (RFC 6455, section 7.1.5).
        var code: UInt16
        var reason: String
    }

    private let loop: EventLoop
    private let stream: AsyncByteStream
    private let firstBytes: [UInt8]
    private var connection: WebSocketConnection
    private var lastHeard: ContinuousClock.Instant
    private var silenceTimer: TimerToken?

    /// Connects, and upgrades to `stoa.v1` with the token.
    /// - Throws: `.signInNeeded` if the server rejects the token.
    static func open(
        loop: EventLoop,
        server: HTTPOrigin,
        token: String,
        within limit: Duration
    ) async throws(ChatClientError) -> WebSocketLink {
        let start = loop.now
        let stream = try await Dialer(loop: loop, server: server).dial(within: limit)
        let deadline = Deadline(loop, after: limit - (loop.now - start)) { stream.close() }
        defer { deadline.cancel() }
        do {
            return try await upgrade(stream, loop: loop, server: server, token: token)
        } catch {
            stream.close()
            throw deadline.hasPassed ? .timedOut : error
        }
    }

    private static func upgrade(
        _ stream: AsyncByteStream,
        loop: EventLoop,
        server: HTTPOrigin,
        token: String
    ) async throws(ChatClientError) -> WebSocketLink {
        let handshake = WebSocketClientHandshake(
            target: "/ws",
            host: server.authority,
            subprotocols: [subprotocolName],
            headers: [.authorization: "Bearer \(token)"]
        )
        var exchange = HTTPExchange(stream: stream, bodyBytesMax: 1 << 20)
        let reply = try await exchange.perform(handshake.request)
        do throws(WebSocketHandshakeError) {
            _ = try handshake.verify(reply.head)
        } catch .refused(.unauthorized) {
            throw .signInNeeded
        } catch .refused {
            throw reply.refusal
        } catch {
            throw .malformed("the WebSocket handshake failed (\(error))")
        }
        return WebSocketLink(loop: loop, stream: stream, firstBytes: exchange.remaining)
    }

    private init(loop: EventLoop, stream: AsyncByteStream, firstBytes: [UInt8]) {
        self.loop = loop
        self.stream = stream
        self.firstBytes = firstBytes
        // A whole history arrives in one frame, so a client's limit is much higher than a server's.
        let limits = WebSocketLimits(frameBytesMax: 64 << 20, messageBytesMax: 64 << 20)
        connection = WebSocketConnection(role: .client, limits: limits)
        lastHeard = loop.now
    }

    /// Queues a text message; it is written at the end of the loop's turn.
    func send(text: [UInt8]) {
        stream.stream.write(connection.send(text: text))
    }

    /// Starts the closing handshake; the server's close frame ends `run`.
    func close() {
        stream.stream.write(connection.sendClose(.normal))
        loop.schedule(after: .seconds(2)) { [stream] in stream.close() }
    }

    /// Closes the connection without a close frame.
    func abort() {
        stream.close()
    }

    /// Reads until the connection ends, and passes on each message as it arrives. Ends if the
    /// server sends nothing for `silenceLimit`.
    func run(silenceLimit: Duration, _ take: ([UInt8]) -> Void) async -> End {
        watchForSilence(limit: silenceLimit)
        defer {
            silenceTimer?.cancel()
            stream.close()
        }
        if let end = receive(firstBytes, take) { return end }
        while true {
            guard let bytes = try? await stream.read() else {
                return End(code: 1006, reason: "")
            }
            lastHeard = loop.now
            if let end = receive(bytes, take) { return end }
        }
    }

    private func receive(_ bytes: [UInt8], _ take: ([UInt8]) -> Void) -> End? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            do throws(WebSocketError) {
                while let event = try connection.receive(&rest) {
                    if let end = handle(event, take) { return end }
                }
                return nil
            } catch {
                stream.stream.write(connection.sendClose(for: error))
                return End(code: error.closeCode.rawValue, reason: error.description)
            }
        }
    }

    private func handle(_ event: WebSocketEvent, _ take: ([UInt8]) -> Void) -> End? {
        switch event {
        case .text(let text): take(text)
        case .ping(let payload): stream.stream.write(connection.sendPong(payload))
        case .pong, .binary: break
        case .close(let code, let reason):
            stream.stream.write(connection.sendClose(code))
            return End(code: code?.rawValue ?? 1005, reason: reason)
        }
        return nil
    }

    /// Pings a silent server, and closes the connection if it does not answer.
    private func watchForSilence(limit: Duration) {
        silenceTimer = loop.schedule(after: limit / 2) { [weak self] in
            guard let self else { return }
            let silence = loop.now - lastHeard
            if silence >= limit {
                stream.close()
                return
            }
            if silence >= limit / 2 { stream.stream.write(connection.sendPing()) }
            watchForSilence(limit: limit)
        }
    }
}
