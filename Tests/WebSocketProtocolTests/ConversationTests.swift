// A client and a server in memory, from the first request to the last close frame.

import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

@Suite("A client and a server in memory")
struct ConversationTests {
    @Test("a WebSocket opens over HTTP, with frames directly after the handshake")
    func opening() throws {
        var client = HTTPClientConnection()
        var server = HTTPServerConnection()
        let handshake = WebSocketClientHandshake(
            target: "/ws",
            host: "h",
            subprotocols: ["stoa.v1"]
        )
        var webSocket = WebSocketConnection(role: .client)
        let early = webSocket.send(text: "early")
        let toServer = client.send(handshake.request) + early

        var toClient: [UInt8] = []
        var remaining: [UInt8] = []
        toServer.withUnsafeBytes { server.receive($0) }
        while let event = try server.nextEvent() {
            switch event {
            case .request(let head):
                let acceptance = try WebSocketHandshake.accept(head, subprotocols: ["stoa.v1"])
                toClient += server.send(acceptance.response)
            case .upgrade(let bytes): remaining = bytes
            case .body, .end: break
            }
        }
        var accepted = WebSocketConnection(role: .server)
        #expect(try accepted.events(after: remaining) == [.text(Array("early".utf8))])

        toClient += WebSocketFrame.encode(text: "welcome")
        toClient.withUnsafeBytes { client.receive($0) }
        while let event = try client.nextEvent() {
            switch event {
            case .response(let head): #expect(try handshake.verify(head) == "stoa.v1")
            case .upgrade(let bytes):
                #expect(try webSocket.events(after: bytes) == [.text(Array("welcome".utf8))])
            case .informational, .body, .end: Issue.record("unexpected event")
            }
        }
    }

    @Test(
        "random messages arrive complete and in order, however they are fragmented",
        arguments: 1...20
    )
    func messages(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var sent: [WebSocketEvent] = []
        var bytes: [UInt8] = []
        for _ in 0..<50 {
            let sizeMax = 1 << Int.random(in: 0...17, using: &generator)
            let payload = generator.bytes(Int.random(in: 0...sizeMax, using: &generator))
            let parts = Delivery.randomChunks(seed: generator.next()).pieces(of: payload)
            let key = MaskingKey(word: UInt32.random(in: .min ... .max, using: &generator))
            if Bool.random(using: &generator), parts.count > 1, parts.count < 1000 {
                for (index, part) in parts.enumerated() {
                    let isLast = index == parts.count - 1
                    bytes += WebSocketFrame.encode(
                        index == 0 ? .binary : .continuation,
                        part,
                        isFinal: isLast,
                        key: key
                    )
                    if !isLast, generator.next() % 8 == 0 {
                        bytes += WebSocketFrame.encode(.ping, [UInt8(index & 0xFF)], key: key)
                        sent.append(.ping([UInt8(index & 0xFF)]))
                    }
                }
            } else {
                bytes += WebSocketFrame.encode(.binary, payload, key: key)
            }
            sent.append(.binary(payload))
        }
        let delivery = Delivery.randomChunks(seed: generator.next())
        let transcript = FrameTranscript(bytes, delivery)
        #expect(transcript.error == nil)
        #expect(transcript.events == sent)
        #expect(FrameTranscript(bytes).events == sent)
    }

    @Test("each frame of a client has its own masking key")
    func clientKeys() {
        var client = WebSocketConnection(role: .client)
        let keys = (0..<20).map { _ in Array(client.send(text: "x")[2..<6]) }
        #expect(Set(keys).count > 10)
        #expect(client.sendPing()[1] == 0x80)
        #expect(client.sendClose(.normal)[1] == 0x82)
    }

    @Test("a shared frame has the same bytes as a connection's")
    func sharedFrames() {
        var server = WebSocketConnection(role: .server)
        #expect(WebSocketFrame.encode(text: "caf\u{E9}") == server.send(text: "caf\u{E9}"))
        #expect(WebSocketFrame.encode(text: [65]) == server.send(text: [65]))
        #expect(WebSocketFrame.encode(binary: [0xFF]) == server.send(binary: [0xFF]))
    }
}
