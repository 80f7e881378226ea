// One WebSocket of a load generator. It passes on bytes: parsing all frames would cost more than the
// server under test.

import ChatProtocol
import EventLoop
import Gateway
import Glibc
import HTTPProtocol
import Networking
import WebSocketProtocol

/// Errors that end a load generator.
enum LoadError: Error {
    /// The server's address must be an IP address.
    case noAddress(String)
    /// The connection ended during the handshake.
    case cutOff
    /// No response within the timeout.
    case timedOut
    /// An unexpected response.
    case unexpected(String)
}

/// The server under load.
struct LoadServer: Sendable {
    let origin: HTTPOrigin
    /// Whether it is `stoa-echo`, which has neither users nor requests.
    var isEcho = false
}

/// An open WebSocket. Used on its event loop.
final class LoadSocket {
    /// Handles a text, whose bytes are valid during the call.
    typealias Taker = (UnsafeRawBufferPointer) -> Void

    /// The start of the chat server's replies.
    private static let replyStart = Array(#"{"id":"#.utf8)
    private static let timeout: Duration = .seconds(60)
    /// A whole history arrives in one frame.
    private static let limits = WebSocketLimits(
        frameBytesMax: 64 << 20,
        messageBytesMax: 64 << 20
    )

    let loop: EventLoop
    /// Called with each text that is not a reply.
    var onText: Taker = { _ in }
    private let stream: ByteStream
    private let socket: WebSocketStream
    private let isEcho: Bool
    private var waiting: Taker?
    private var lastNumber: Int64 = 0

    /// Connects.
    /// - Parameters:
    ///   - loop: the event loop to run on.
    ///   - server: the server.
    ///   - token: the token to sign in with; nil for none.
    ///   - isNarrow: whether kernel buffers are small, for a client that does not read.
    /// - Returns: the socket.
    /// - Throws: why the connection failed.
    static func open(
        _ loop: EventLoop,
        _ server: LoadServer,
        token: String? = nil,
        isNarrow: Bool = false
    ) async throws -> LoadSocket {
        let origin = server.origin
        guard let address = SocketAddress(host: origin.host, port: origin.port) else {
            throw LoadError.noAddress(origin.host)
        }
        let stream: ByteStream
        if isNarrow {
            stream = try narrowStream(loop, address, port: origin.port)
        } else {
            stream = try await StreamConnector.connect(loop: loop, to: address, deadline: timeout)
        }
        let deadline = loop.schedule(after: timeout) { stream.close() }
        defer { deadline.cancel() }
        do {
            return try await upgrade(stream, server, token)
        } catch {
            stream.close()
            throw error
        }
    }

    private static func upgrade(
        _ stream: ByteStream,
        _ server: LoadServer,
        _ token: String?
    ) async throws -> LoadSocket {
        var headers = HTTPHeaders()
        if let token { headers[.authorization] = "Bearer \(token)" }
        let handshake = WebSocketClientHandshake(
            target: server.isEcho ? "/echo" : "/ws",
            host: server.origin.authority,
            subprotocols: server.isEcho ? [] : [subprotocolName],
            headers: headers
        )
        let bytes = AsyncByteStream(stream)
        var http = HTTPClientConnection()
        try await bytes.write(http.send(handshake.request))
        while true {
            while let event = try http.nextEvent() {
                switch event {
                case .response(let head): _ = try handshake.verify(head)
                case .upgrade(let remaining):
                    return LoadSocket(stream, isEcho: server.isEcho, remaining)
                case .informational, .body, .end: break
                }
            }
            guard let received = try await bytes.read() else { throw LoadError.cutOff }
            received.withUnsafeBytes { http.receive($0) }
        }
    }

    /// A connection with small segments and a small window, as over a slow network. On loopback the
    /// kernel alone would buffer megabytes for a client that does not read.
    private static func narrowStream(
        _ loop: EventLoop,
        _ peer: SocketAddress,
        port: UInt16
    ) throws -> ByteStream {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let number = try systemCall("socket") { Glibc.socket(AF_INET, kind, 0) }
        let descriptor = FileDescriptor(owning: number)
        let options: [(level: Int32, name: Int32, value: Int32)] = [
            (SOL_SOCKET, SO_RCVBUF, 4096), (Int32(IPPROTO_TCP), TCP_MAXSEG, 1400),
        ]
        for option in options {
            var value = option.value
            let size = socklen_t(MemoryLayout<Int32>.size)
            try systemCall("setsockopt") {
                setsockopt(number, option.level, option.name, &value, size)
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        try systemCall("connect") {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        let flags = try systemCall("fcntl") { fcntl(number, F_GETFL) }
        try systemCall("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        return try ByteStream(
            loop: loop,
            descriptor: descriptor,
            peer: peer,
            limits: StreamLimits()
        )
    }

    private init(_ stream: ByteStream, isEcho: Bool, _ remaining: [UInt8]) {
        loop = stream.loop
        self.stream = stream
        self.isEcho = isEcho
        socket = WebSocketStream(
            stream,
            WebSocketConnection(role: .client, limits: Self.limits)
        )
        socket.start(self, remaining: remaining)
    }

    /// Whether the connection is open.
    var isOpen: Bool { socket.isOpen && stream.isOpen }

    /// Closes the connection without a handshake.
    func close() { stream.close() }

    // MARK: Requests

    /// Sends a text; `taker` gets the response. One request at a time.
    func ask(_ text: [UInt8], _ taker: @escaping Taker) {
        precondition(waiting == nil, "one answer is awaited at a time")
        waiting = taker
        socket.send(text: text)
    }

    /// Sends a request to the chat server, and waits for the reply.
    /// - Throws: the server's refusal, or why there is no reply.
    func call<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ request: Request
    ) async throws -> Reply {
        lastNumber += 1
        let promise = LoopPromise<[UInt8], LoadError>(loop)
        ask(WireEncoding.text(OutgoingRequest(id: lastNumber, operation, request))) {
            promise.succeed(Array($0))
        }
        let timer = loop.schedule(after: Self.timeout) { promise.fail(.timedOut) }
        defer { timer.cancel() }
        let text = try await promise.value(cancelled: { promise.fail(.cutOff) })
        guard case .reply(_, let result) = try ServerFrame.parse(text) else {
            throw LoadError.unexpected(String(decoding: text, as: UTF8.self))
        }
        return try result.get().decode(as: Reply.self)
    }

    // MARK: Pausing reads

    /// Leaves received bytes in the kernel, until `read()`.
    func stopReading() { stream.pauseReading() }

    /// Resumes reading.
    func read() { stream.resumeReading() }

    /// Sends a ping, so that the server keeps the connection.
    func ping() { socket.ping() }
}

extension LoadSocket: WebSocketStreamHandler {
    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        guard let taker = waiting, isEcho || message.bytes.starts(with: Self.replyStart) else {
            onText(message.bytes)
            return
        }
        waiting = nil
        taker(message.bytes)
    }
}
