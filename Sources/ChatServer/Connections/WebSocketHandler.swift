// A WebSocket connection: passes messages to a session, and the session's frames to the client. A
// client that does not authenticate is disconnected.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Gateway
import Logging
import Networking
import WebSocketProtocol

/// The WebSocket handler of a connection.
final class WebSocketHandler: WebSocketStreamHandler, SessionCarrier, Server.Connection {
    /// How long a client may take to authenticate.
    private static let authenticationDeadline: Duration = .seconds(5)

    /// For log lines.
    let connectionNumber: Int
    let traceCaller: TraceCaller?
    /// The client's address, not its proxy's.
    let peer: String?
    private let server: Server
    private let stream: ByteStream
    private let socket: WebSocketStream
    private var session: ClientSession?
    /// The session of a reader with a share link.
    private var reader: SharedSession?
    private var isAuthenticating = false
    /// Whether the connection is gone: a lookup that ends afterwards is ignored.
    private var isGone = false
    private var timer: TimerToken?
    private let figures: SocketFigures
    private var phase = SocketFigures.Phase.opening

    init(
        _ stream: ByteStream,
        client: WebSocketClient,
        compression: PerMessageDeflate?,
        server: Server,
        connectionNumber: Int
    ) {
        self.connectionNumber = connectionNumber
        self.server = server
        self.stream = stream
        peer = client.address
        traceCaller = client.traceCaller
        figures = server.metrics.sockets
        let connection = WebSocketConnection(server.webSocketSettings, compression: compression)
        socket = WebSocketStream(stream, connection)
        server.add(self)
        figures.count[phase, default: 0] += 1
        if let signedIn = client.signedIn {
            begin(signedIn)
        } else {
            timer = server.loop.schedule(after: Self.authenticationDeadline) { [weak self] in
                self?.close(.unauthenticated)
            }
        }
    }

    /// Takes over the stream after the handshake, with bytes that arrived after it.
    func start(remaining: [UInt8]) { socket.start(self, remaining: remaining) }

    // MARK: WebSocketStreamHandler

    var webSocketFigures: WebSocketFigures? { figures.frames }

    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        // Requests after our close frame are ignored: the reply could not be sent.
        guard webSocket.isOpen else { return }
        guard message.isText else { return close(.unsupportedData) }
        figures.messagesReceived += 1
        let text = Array(message.bytes)
        if let session {
            session.receive(text)
        } else if let reader {
            reader.receive(text)
        } else {
            authenticate(text)
        }
    }

    func webSocketDrained(_ webSocket: WebSocketStream) {
        session?.resume()
        reader?.resume()
    }

    func webSocketReceivedClose(_ webSocket: WebSocketStream) {
        // Delivers nothing more, however long the peer keeps its socket open.
        session?.end()
        reader?.end()
    }

    func webSocketFailed(_ webSocket: WebSocketStream, _ error: WebSocketError) {
        server.logger.debug(
            "WebSocket protocol error",
            metadata: ["connection": "\(connectionNumber)", "error": "\(error)"]
        )
    }

    func webSocketTimedOut(_ webSocket: WebSocketStream) { close(.idle) }

    func webSocketClosed(_ webSocket: WebSocketStream) {
        isGone = true
        figures.count[phase, default: 0] -= 1
        timer?.cancel()
        session?.end()
        session = nil
        reader?.end()
        reader = nil
        server.remove(self)
    }

    func drain() {
        if let session { session.leave(.serviceRestart) } else { close(.serviceRestart) }
    }

    // MARK: SessionCarrier

    func send(_ frame: SharedBytes) {
        guard socket.isOpen else { return }
        figures.messagesSent += 1
        socket.send(frame, server.compression)
    }

    var queuedByteCount: Int { stream.queuedByteCount }

    var bufferedByteCount: Int { stream.queuedByteCount + socket.bufferedByteCount }

    var isAboveHighMark: Bool { stream.isAboveHighMark }

    func close(_ code: CloseCode) {
        guard socket.isOpen else { return }
        timer?.cancel()
        socket.close(WebSocketCloseCode(rawValue: code.rawValue))
    }

    func cutOff() { stream.close() }

    // MARK: Authentication

    private func enter(_ next: SocketFigures.Phase) {
        figures.count[phase, default: 0] -= 1
        figures.count[next, default: 0] += 1
        phase = next
    }

    private func begin(_ signedIn: SignedIn) {
        enter(.signedIn)
        session = ClientSession(signedIn, server: server, carrier: self)
        socket.join(server.keepAlive)
    }

    /// Handles the first frame of an unauthenticated client: only `auth` or `share.watch` is
    /// allowed.
    private func authenticate(_ text: [UInt8]) {
        guard !isAuthenticating, let request = try? ClientRequest.parse(text) else {
            close(.unauthenticated)
            return
        }
        if let body = request.body(of: .auth) {
            authenticate(request.id, token: body.token)
        } else if let body = request.body(of: .shareWatch) {
            read(request.id, token: body.token)
        } else {
            close(.unauthenticated)
        }
    }

    private func endDeadline() {
        timer?.cancel()
        timer = nil
    }

    /// Starts the session of a reader with a share link.
    private func read(_ id: Int64, token: String) {
        isAuthenticating = true
        let begunAt = server.loop.now
        server.loop.spawn { [self] in
            defer { count(.init(.shareWatch), since: begunAt) }
            do {
                let share = try await server.store.shares.open(tokenHash: Token(text: token).hash)
                guard socket.isOpen, !isGone else { return }
                let reader = try SharedSession(share, server: server, carrier: self)
                self.reader = reader
                enter(.reader)
                endDeadline()
                socket.join(server.keepAlive)
                try await reader.begin(id)
            } catch {
                guard socket.isOpen, !isGone else { return }
                let request = RequestID(connection: connectionNumber, number: id)
                reply(id, error: server.wireError(error, in: request))
                reader?.end()
                // A retry may succeed when there is room, or the database is back.
                close((error as? WireError) == .noSuchShare ? .linkEnded : .serviceRestart)
            }
        }
    }

    private func authenticate(_ id: Int64, token: String) {
        isAuthenticating = true
        let begunAt = server.loop.now
        server.loop.spawn { [self] in
            defer { count(.init(.auth), since: begunAt) }
            let signedIn = try? await server.authenticator.session(token)
            guard socket.isOpen, !isGone else { return }
            // Every connection receives events, so it needs the right to read.
            guard let signedIn, signedIn.credential.scopes.contains(.read) else {
                reply(id, error: WireError(.unauthenticated, "the token is not valid"))
                close(.unauthenticated)
                return
            }
            do throws(WireError) {
                try server.requireRoom(for: signedIn.user.id)
            } catch {
                reply(id, error: error)
                close(.serviceRestart)
                return
            }
            endDeadline()
            begin(signedIn)
            session?.grant(id, AuthReply(user: signedIn.user))
        }
    }

    /// Counts the request of the first frame, unless the client has gone before the reply.
    private func count(_ operation: OperationDefinition, since begunAt: ContinuousClock.Instant) {
        guard !isGone else { return }
        server.metrics.requests.answered(operation, after: server.loop.now - begunAt)
    }

    private func reply(_ id: Int64, error: WireError) {
        server.metrics.requests.refused(error.code)
        figures.messagesSent += 1
        socket.send(text: WireEncoding.reply(id, error: error))
    }
}
