// A server that a test scripts: the sign-in route, the upgrade and `welcome` follow the protocol;
// everything after them is the test's script.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import Networking
import WebSocketProtocol

/// Listens on a free port of 127.0.0.1, on the loop of its creator.
final class ScriptedServer {
    let user = User(id: .make(), name: "ada")
    /// Handles requests.
    var onRequest: (ClientRequest, ScriptedPeer) -> Void = { _, _ in }
    /// Called for each connection after its welcome.
    var onConnection: (ScriptedPeer) -> Void = { _ in }
    /// Responds to GET requests; nil leaves one without a response.
    var onGet: (String) -> HTTPReply? = { _ in nil }
    /// The status that refuses upgrades; nil accepts them.
    var refusal: HTTPStatus?
    /// Whether pings are not answered.
    var isMute = false
    var epoch = "first"
    /// The current number of the user's list.
    var listPosition: Int64 = 0
    private(set) var connectionCount = 0

    private let loop: EventLoop
    private var listener: Listener?

    init(_ loop: EventLoop) throws {
        self.loop = loop
        listener = try Listener(loop: loop, address: .ipv4(0x7F00_0001, port: 0)) {
            [unowned self] stream in
            loop.spawn { await self.serve(AsyncByteStream(stream)) }
        }
    }

    var url: HTTPOrigin {
        HTTPOrigin(host: "127.0.0.1", port: listener?.address.port ?? 0)
    }

    func close() { listener?.close() }

    private func serve(_ stream: AsyncByteStream) async {
        var connection = HTTPServerConnection()
        var head: HTTPRequestHead?
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { connection.receive($0) }
            while let event = try? connection.nextEvent() {
                switch event {
                case .request(let request): head = request
                case .end:
                    guard let head else { continue }
                    if WebSocketHandshake.isUpgrade(head), refusal == nil {
                        await upgrade(head, &connection, stream)
                        return
                    }
                    answer(head, &connection, stream)
                default: break
                }
            }
        }
    }

    private func answer(
        _ head: HTTPRequestHead,
        _ connection: inout HTTPServerConnection,
        _ stream: AsyncByteStream
    ) {
        var reply: HTTPReply?
        if let refusal {
            reply = HTTPReply(head: HTTPResponseHead(refusal), body: [])
        } else if head.method == .post {
            let body = SignInReply(token: "secret", user: user)
            reply = HTTPReply(head: HTTPResponseHead(.ok), body: WireEncoding.text(body))
        } else {
            reply = onGet(head.target)
        }
        guard let reply else { return }
        stream.stream.write(connection.send(reply.head, body: reply.body))
    }

    private func upgrade(
        _ head: HTTPRequestHead,
        _ connection: inout HTTPServerConnection,
        _ stream: AsyncByteStream
    ) async {
        guard
            let acceptance = try? WebSocketHandshake.accept(head, subprotocols: [subprotocolName])
        else { return }
        stream.stream.write(connection.send(acceptance.response))
        connectionCount += 1
        let peer = ScriptedPeer(stream, number: connectionCount)
        let welcome = Welcome(
            server: "test",
            protocol: subprotocolName,
            epoch: epoch,
            user: user,
            session: .make(),
            limits: .standard,
            models: [],
            time: .now,
            u: listPosition
        )
        peer.send(.welcome(welcome))
        onConnection(peer)
        await peer.run(isMute: isMute) { [unowned self] request in onRequest(request, peer) }
    }
}

/// The server's end of one WebSocket.
final class ScriptedPeer {
    /// 1 for the first connection.
    let number: Int
    private let stream: AsyncByteStream
    private var connection = WebSocketConnection(role: .server)

    init(_ stream: AsyncByteStream, number: Int) {
        self.stream = stream
        self.number = number
    }

    func send(_ event: ServerEvent) {
        stream.stream.write(connection.send(text: WireEncoding.event(event)))
    }

    func reply(_ request: ClientRequest, _ body: some Encodable) {
        stream.stream.write(connection.send(text: WireEncoding.reply(request.id, ok: body)))
    }

    func refuse(_ request: ClientRequest, _ code: ErrorCode) {
        let error = WireError(code, "refused")
        stream.stream.write(connection.send(text: WireEncoding.reply(request.id, error: error)))
    }

    func close(_ code: UInt16) {
        stream.stream.write(connection.sendClose(WebSocketCloseCode(rawValue: code)))
    }

    /// Closes the connection as a killed server does.
    func abort() { stream.close() }

    func run(isMute: Bool, _ take: (ClientRequest) -> Void) async {
        while let bytes = try? await stream.read() {
            bytes.withUnsafeBytes { bytes in
                var rest = bytes
                while let event = try? connection.receive(&rest) {
                    switch event {
                    case .text(let text):
                        if let request = try? ClientRequest.parse(text) { take(request) }
                    case .ping(let payload) where !isMute:
                        stream.stream.write(connection.sendPong(payload))
                    case .close(let code, _):
                        stream.stream.write(connection.sendClose(code))
                        stream.stream.closeAfterFlush()
                    default: break
                    }
                }
            }
        }
        stream.close()
    }
}

/// Runs a test with a server and a client on one loop, and closes both.
func withServer(
    _ body: @escaping @Sendable (ScriptedServer, ChatClient) async throws -> Void
) async throws {
    try await EventLoop.run { loop in
        let server = try ScriptedServer(loop)
        var configuration = ChatClient.Configuration(server: server.url, token: "secret")
        configuration.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(4))
        let client = ChatClient(loop: loop, configuration: configuration)
        defer {
            client.close()
            server.close()
        }
        try await body(server, client)
    }
}
