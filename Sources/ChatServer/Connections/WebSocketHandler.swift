// A connection that speaks WebSocket: frames into a session's texts, and the session's frames out. It
// keeps the connection's time: who is silent, or does not say who they are, is closed.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Networking
import WebSocketProtocol

/// The WebSocket side of a connection.
final class WebSocketHandler: StreamHandler, SessionCarrier, Server.Connection {
    /// How long a client may take to say who it is.
    private static let authenticationDeadline: Duration = .seconds(5)
    private static let pingInterval: Duration = .seconds(25)
    private static let silenceMax: Duration = .seconds(60)
    /// How long a close frame may wait for its answer.
    private static let closeDeadline: Duration = .seconds(5)

    private let server: Server
    private let stream: ByteStream
    private var socket: WebSocketConnection
    private var session: ClientSession?
    /// Who reads by a link instead.
    private var reader: SharedSession?
    private var isAuthenticating = false
    /// Set once the connection is gone: who was still being looked up comes too late.
    private var isGone = false
    private var lastHeard: ContinuousClock.Instant
    private var timer: TimerToken?

    init(_ stream: ByteStream, signedIn: SignedIn?, server: Server) {
        self.server = server
        self.stream = stream
        let limits = server.limits.frameBytes
        socket = WebSocketConnection(
            role: .server,
            limits: WebSocketLimits(frameBytesMax: limits, messageBytesMax: limits)
        )
        lastHeard = server.loop.now
        server.add(self)
        if let signedIn {
            begin(signedIn)
        } else {
            timer = server.loop.schedule(after: Self.authenticationDeadline) { [weak self] in
                self?.close(.unauthenticated)
            }
        }
    }

    var peer: String? { stream.peer.host }

    // MARK: StreamHandler

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        lastHeard = server.loop.now
        var bytes = bytes
        do {
            while let event = try socket.receive(&bytes) { handle(event) }
        } catch {
            stream.write(socket.sendClose(for: error))
            stream.closeAfterFlush()
        }
    }

    func streamReceivedEnd(_ stream: ByteStream) { stream.closeAfterFlush() }

    func streamDrained(_ stream: ByteStream) {
        session?.resume()
        reader?.resume()
    }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        isGone = true
        timer?.cancel()
        session?.end()
        session = nil
        reader?.end()
        reader = nil
        server.remove(self)
    }

    func drain() { close(.serviceRestart) }

    // MARK: Frames

    private func handle(_ event: WebSocketEvent) {
        switch event {
        case .text(let text):
            if let session {
                session.receive(text)
            } else if let reader {
                reader.receive(text)
            } else {
                authenticate(text)
            }
        case .binary:
            close(.unsupportedData)
        case .ping(let payload):
            stream.write(socket.sendPong(payload))
        case .pong:
            break
        case .close(let code, _):
            // Nothing is delivered from here on, however long the other end keeps its socket open.
            session?.end()
            reader?.end()
            stream.write(socket.sendClose(code))
            stream.closeAfterFlush()
        }
    }

    // MARK: SessionCarrier

    func send(_ frame: SharedBytes) {
        if socket.isOpen { stream.write(frame) }
    }

    var queuedByteCount: Int { stream.queuedByteCount }

    var isAboveHighMark: Bool { stream.isAboveHighMark }

    func close(_ code: CloseCode) {
        guard socket.isOpen else { return }
        stream.write(socket.sendClose(WebSocketCloseCode(rawValue: code.rawValue)))
        timer?.cancel()
        timer = server.loop.schedule(after: Self.closeDeadline) { [weak self] in
            self?.stream.close()
        }
    }

    func cutOff() { stream.close() }

    // MARK: Who is it

    private func begin(_ signedIn: SignedIn) {
        session = ClientSession(signedIn, server: server, carrier: self)
        keepAlive()
    }

    /// Takes the first frame of a client that is not known yet: `auth`, or `share.watch`, and nothing
    /// else.
    private func authenticate(_ text: [UInt8]) {
        guard !isAuthenticating, let request = try? ClientRequest.parse(text) else {
            close(.unauthenticated)
            return
        }
        switch request.body {
        case .auth(let body): authenticate(request.id, token: body.token)
        case .shareWatch(let body): read(request.id, token: body.token)
        default: close(.unauthenticated)
        }
    }

    /// Begins the session of a reader by a link.
    private func read(_ id: Int64, token: String) {
        isAuthenticating = true
        server.loop.spawn { [self] in
            do {
                let share = try await server.store.openShare(tokenHash: Token(text: token).hash)
                guard socket.isOpen, !isGone else { return }
                let reader = try SharedSession(share, server: server, carrier: self)
                self.reader = reader
                timer?.cancel()
                keepAlive()
                try await reader.begin(id)
            } catch {
                guard socket.isOpen, !isGone else { return }
                reply(id, error: server.wireError(error))
                reader?.end()
                // Another try may find room, or the database.
                close((error as? WireError) == .noSuchShare ? .linkEnded : .serviceRestart)
            }
        }
    }

    private func authenticate(_ id: Int64, token: String) {
        isAuthenticating = true
        server.loop.spawn { [self] in
            let signedIn = try? await server.authenticator.session(token)
            guard socket.isOpen, !isGone else { return }
            // What happens is told to every connection, unasked.
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
            timer?.cancel()
            begin(signedIn)
            session?.grant(id, AuthReply(user: signedIn.user))
        }
    }

    private func reply(_ id: Int64, error: WireError) {
        stream.write(socket.send(text: WireEncoding.reply(id, error: error)))
    }

    // MARK: Time

    private func keepAlive() {
        timer = server.loop.schedule(after: Self.pingInterval) { [weak self] in
            guard let self else { return }
            guard self.server.loop.now - self.lastHeard < Self.silenceMax else {
                self.close(.idle)
                return
            }
            self.stream.write(self.socket.sendPing())
            self.keepAlive()
        }
    }
}
