// A connection before its handshake: requests, answered with 101 or an error. It is freed with its
// parser and its timeout when the WebSocket opens.

import EventLoop
import Gateway
import Glibc
import HTTPProtocol
import Networking
import WebSocketProtocol

/// The HTTP side of a connection.
final class HandshakeHandler: StreamHandler {
    /// Timeout of the handshake.
    private static let deadline: Duration = .seconds(10)

    private let server: EchoServer
    private var http = HTTPServerConnection(limits: HTTPLimits(bodyBytesMax: 0))
    /// The handler of the future WebSocket.
    private var handler: (any WebSocketStreamHandler)?
    /// The negotiated compression.
    private var compression: PerMessageDeflate?

    init(_ stream: ByteStream, server: EchoServer) {
        self.server = server
        stream.close(after: Self.deadline)
    }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        http.receive(bytes)
        advance(stream)
    }

    func streamReceivedEnd(_ stream: ByteStream) {
        http.receiveEnd()
        advance(stream)
    }

    func streamDrained(_ stream: ByteStream) {}

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {}

    private func advance(_ stream: ByteStream) {
        do {
            while let event = try http.nextEvent() {
                switch event {
                case .request(let head): stream.write(answer(head))
                case .body, .end: break
                case .upgrade(let remaining): becomeWebSocket(stream, remaining)
                }
            }
        } catch {
            stream.write(http.sendError(error, headers: [.date: Self.date]))
        }
        if http.shouldClose { stream.closeAfterFlush() }
    }

    private func answer(_ head: HTTPRequestHead) -> [UInt8] {
        switch head.path {
        case "/echo": handler = server.echo
        case "/broadcast": handler = server.broadcast
        default: return refuse(HTTPResponseHead(.notFound), head)
        }
        do throws(WebSocketRefusal) {
            let acceptance = try WebSocketHandshake.accept(
                head,
                compression: EchoServer.deflate
            )
            compression = acceptance.compression
            return http.send(acceptance.response, length: .exactly(0))
        } catch {
            return refuse(error.response, head)
        }
    }

    private func refuse(_ response: HTTPResponseHead, _ request: HTTPRequestHead) -> [UInt8] {
        var response = response
        response.headers[.date] = Self.date
        // Content is not read here, so the next request could not be found.
        if request.announcesContent { response.headers.add(.connection, "close") }
        return http.send(response)
    }

    private static var date: String { HTTPDate.format(secondsSince1970: time(nil)) }

    private func becomeWebSocket(_ stream: ByteStream, _ remaining: [UInt8]) {
        guard let handler else { return }
        stream.keepOpen()
        let connection = WebSocketConnection(server.webSocketSettings, compression: compression)
        let webSocket = WebSocketStream(stream, connection)
        webSocket.join(server.keepAlive)
        webSocket.start(handler, remaining: remaining)
    }
}
