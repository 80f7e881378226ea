// A peer that sees each send separately: its socket preserves record boundaries (SOCK_SEQPACKET),
// so one receive corresponds to one system call of the other side.

import EventLoop
import Gateway
import Glibc
import Networking
import Testing
import WebSocketProtocol

/// The peer of a WebSocket, controlled by a test.
final class SocketWithBounds {
    private let descriptor: FileDescriptor
    let webSocket: WebSocketStream

    /// Creates a WebSocket for `handler`, with the negotiated compression, and its peer.
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

    /// The bytes of one system call of the WebSocket; nil if there are none, empty at the end.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = recv(descriptor.number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

/// Runs the loop until all received bytes are handled.
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

/// Echoes every message, and records all other calls.
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

    func webSocketTimedOut(_ webSocket: WebSocketStream) {
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
