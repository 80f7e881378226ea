// A peer that sees every send: its socket keeps the bounds of what was sent (SOCK_SEQPACKET), so that one
// receive is one system call of the other side's.

import EventLoop
import Gateway
import Glibc
import Networking
import Testing
import WebSocketProtocol

/// The other end of a WebSocket, played by hand.
final class SocketWithBounds {
    private let descriptor: FileDescriptor
    let webSocket: WebSocketStream

    /// A WebSocket that is served by `handler`, with the compression that was agreed on, and its peer.
    init(
        _ loop: EventLoop,
        _ handler: any WebSocketStreamHandler,
        compression: PerMessageDeflate? = nil
    ) throws {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try systemCall("socketpair") { socketpair(AF_UNIX, kind, 0, &numbers) }
        descriptor = FileDescriptor(owning: numbers[1])
        let stream = try ByteStream(
            loop: loop,
            descriptor: FileDescriptor(owning: numbers[0]),
            peer: .unix(path: ""),
            limits: StreamLimits()
        )
        let connection = WebSocketConnection(role: .server, compression: compression)
        webSocket = WebSocketStream(stream, connection)
        webSocket.start(handler)
    }

    /// Sends frames in one piece.
    func send(_ frames: [UInt8]...) {
        let bytes = Array(frames.joined())
        #expect(Glibc.send(descriptor.number, bytes, bytes.count, 0) == bytes.count)
    }

    /// What one system call of the WebSocket's has sent; nil where there is nothing, empty at the end.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = recv(descriptor.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

/// Lets the loop turn until what has arrived is answered.
func turn(_ loop: EventLoop) async throws {
    for _ in 0..<3 { try await loop.sleep(for: .zero) }
}

/// A client's frame.
func clientFrame(_ opcode: WebSocketOpcode, _ text: String, isFinal: Bool = true) -> [UInt8] {
    WebSocketFrame.encode(
        opcode,
        Array(text.utf8),
        isFinal: isFinal,
        key: MaskingKey(word: 0x3D21_FA37)
    )
}

/// A server's frame with a text.
func textFrame(_ text: String) -> [UInt8] { WebSocketFrame.encode(text: text) }

/// Returns every message, and writes down what else it is told.
final class RecordingEcho: WebSocketStreamHandler {
    private(set) var told: [String] = []
    let figures = WebSocketFigures()

    var webSocketFigures: WebSocketFigures? { figures }

    func webSocketOpened(_ webSocket: WebSocketStream) { told.append("opened") }

    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        webSocket.send(message)
    }

    func webSocketReceivedClose(_ webSocket: WebSocketStream) { told.append("received close") }

    func webSocketFailed(_ webSocket: WebSocketStream, _ error: WebSocketError) {
        told.append("failed: \(error)")
    }

    func webSocketFellSilent(_ webSocket: WebSocketStream) {
        told.append("fell silent")
        webSocket.close(.goingAway)
    }

    func webSocketClosed(_ webSocket: WebSocketStream) { told.append("closed") }
}

/// Publishes every message.
final class Publisher: WebSocketStreamHandler {
    private let topic: Topic

    init(_ topic: Topic) { self.topic = topic }

    func webSocketOpened(_ webSocket: WebSocketStream) { topic.join(webSocket) }

    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        topic.publish(message)
    }

    func webSocketClosed(_ webSocket: WebSocketStream) { topic.leave(webSocket) }
}
