import EventLoop
import Gateway
import Networking
import Testing
import WebSocketProtocol

@Suite("WebSocket counters")
struct WebSocketFiguresTests {
    /// A client's close frame with `code`, or without one.
    private static func close(_ code: UInt16?) -> [UInt8] {
        WebSocketFrame.encode(
            .close,
            code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [],
            key: MaskingKey(word: 0x3D21_FA37)
        )
    }

    private static func end(_ side: WebSocketEnd.Side, _ code: UInt16) -> WebSocketEnd {
        WebSocketEnd(side, WebSocketCloseCode(rawValue: code))
    }

    private static let cases: [([UInt8], WebSocketEnd)] = [
        (close(1000), end(.peer, 1000)),
        (close(nil), end(.peer, 1005)),
        (close(1001) + close(1000), end(.peer, 1001)),
        // Private codes of peers are counted together.
        (close(3456), end(.peer, 4999)),
        (close(4001), end(.peer, 4999)),
        // An unmasked frame after a valid one, a text that is not UTF-8, and a code that must not
        // be sent.
        (clientFrame(.text, "right") + [0x81, 0x01, 0x61], end(.here, 1002)),
        (WebSocketFrame.encode(.text, [0xC3, 0x28], key: MaskingKey(word: 1)), end(.here, 1007)),
        (close(1006), end(.here, 1002)),
    ]

    @Test("each end is counted once, by the side that closed first and the code", arguments: cases)
    func ends(_ bytes: [UInt8], _ end: WebSocketEnd) async throws {
        try await EventLoop.run { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            peer.send(bytes)
            try await turn(loop)
            peer.webSocket.stream.close()
            try await turn(loop)
            #expect(handler.figures.ends == [end: 1])
            #expect(handler.figures.closesSent == 1)
            #expect(handler.told.contains { $0.hasPrefix("failed: ") } == (end.side == .here))
        }
    }

    @Test("our own close counts once, whatever comes after it")
    func ownClose() async throws {
        for reply in [Self.close(1001), [0x81, 0x01, 0x61], []] {
            try await EventLoop.run { loop in
                let handler = RecordingEcho()
                let peer = try SocketWithBounds(loop, handler)
                peer.webSocket.close(.goingAway)
                peer.webSocket.close(.normal)
                if !reply.isEmpty { peer.send(reply) }
                try await turn(loop)
                peer.webSocket.stream.close()
                try await turn(loop)
                #expect(handler.figures.ends == [Self.end(.here, 1001): 1])
                #expect(handler.figures.closesSent == 1)
            }
        }
    }

    @Test("an end without a close frame counts as lost, and full queues are counted separately")
    func cutOff() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            peer.webSocket.stream.close()
            try await turn(loop)
            #expect(handler.figures.ends == [Self.end(.neither, 1006): 1])
            #expect(handler.figures.overflowCount == 0)

            let slow = try SocketWithBounds(loop, handler)
            let limit = slow.webSocket.stream.limits.writeByteLimit
            slow.webSocket.send(text: [UInt8](repeating: 0x61, count: limit + 1))
            try await turn(loop)
            #expect(handler.figures.ends == [Self.end(.neither, 1006): 2])
            #expect(handler.figures.overflowCount == 1)
            #expect(handler.figures.closesSent == 0)
        }
    }

    @Test("control frames are counted in both directions, and messages are not")
    func controlFrames() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            peer.send(
                clientFrame(.ping, "?"),
                clientFrame(.text, "a message"),
                clientFrame(.ping, "??"),
                clientFrame(.pong, "")
            )
            try await turn(loop)
            peer.webSocket.ping()
            peer.webSocket.close(.goingAway)
            // Nothing follows a close frame.
            peer.webSocket.ping()
            peer.send(clientFrame(.ping, "?"), Self.close(1001))
            try await turn(loop)
            let figures = handler.figures
            #expect(figures.pingsReceived == 3)
            #expect(figures.pongsSent == 2)
            #expect(figures.pingsSent == 1)
            #expect(figures.pongsReceived == 1)
            #expect(figures.closesSent == 1)
            #expect(figures.closesReceived == 1)
            peer.webSocket.stream.close()
        }
    }
}
