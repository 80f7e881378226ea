// How long the server waits for whom, by the clock. TLS handshakes, PROXY headers and the ends of
// streams are in NetworkingTests.

import ChatProtocol
import ChatServer
import Networking
import Testing

@Suite("Deadlines of HTTP connections")
struct HTTPDeadlineTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
    /// A field with a token, which only the database knows.
    private static let authorization =
        "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n"

    // MARK: Requests

    @Test("who says nothing is let go after 30 seconds, without a word")
    func silence() async throws {
        try await HTTPScene.run { scene in
            try await scene.pass(seconds: 29)
            #expect(scene.isOpen)
            try await scene.pass(seconds: 1)
            #expect(!scene.isOpen)
            #expect(scene.text.isEmpty)
        }
    }

    @Test(
        "a request has to be whole 30 seconds after its first byte, however it trickles",
        arguments: [
            ["GET /heal", "thz HTTP/1.1\r\nHo", "st: h\r\n"],
            [
                "POST /api/v1/session HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n", "12",
                "345",
            ],
            [
                "POST /api/v1/session HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                "5\r\n12", "345\r\n",
            ],
        ]
    )
    func tricklingRequests(pieces: [String]) async throws {
        try await HTTPScene.run { scene in
            // The connection's own 30 seconds begin anew with the first byte.
            try await scene.pass(seconds: 10)
            for piece in pieces {
                try await scene.send(piece)
                try await scene.pass(seconds: 9)
                #expect(scene.isOpen && scene.text.isEmpty)
            }
            try await scene.pass(seconds: 2)
            #expect(scene.isOpen && scene.text.isEmpty)
            try await scene.pass(seconds: 1)
            #expect(scene.text.hasPrefix("HTTP/1.1 408 "))
            #expect(!scene.isOpen)
        }
    }

    @Test("between two requests there are 75 seconds, and 30 once the next has begun")
    func idle() async throws {
        try await HTTPScene.run { scene in
            for round in 1...2 {
                try await scene.send(Self.request)
                #expect(scene.text.ranges(of: "HTTP/1.1 200 OK\r\n").count == round)
                try await scene.pass(seconds: 74)
                #expect(scene.isOpen)
            }
            let before = scene.text
            try await scene.pass(seconds: 1)
            #expect(!scene.isOpen)
            #expect(scene.text == before, "an idle end has no words")
        }
        try await HTTPScene.run { scene in
            try await scene.send(Self.request + "GET")
            try await scene.pass(seconds: 29)
            #expect(scene.isOpen)
            #expect(scene.text.hasPrefix("HTTP/1.1 200 "))
            try await scene.pass(seconds: 1)
            #expect(scene.text.contains("HTTP/1.1 408 "))
            #expect(!scene.isOpen)
        }
    }

    @Test("an upload may take as long as it needs while a piece of it comes every 30 seconds")
    func uploads() async throws {
        try await HTTPScene.run { scene in
            try await scene.send(
                "POST /api/v1/import HTTP/1.1\r\nHost: h\r\n\(Self.authorization)"
                    + "Content-Length: 1000\r\n\r\n"
            )
            for _ in 0..<5 {
                try await scene.pass(seconds: 29)
                #expect(scene.isOpen && scene.text.isEmpty)
                try await scene.send("a piece")
            }
            try await scene.pass(seconds: 29)
            #expect(scene.isOpen && scene.text.isEmpty)
            try await scene.pass(seconds: 1)
            #expect(scene.text.hasPrefix("HTTP/1.1 408 "))
            #expect(!scene.isOpen)
        }
    }

    // MARK: Responses

    @Test("the time that an answer takes is not the client's")
    func slowAnswer() async throws {
        try await HTTPScene.run { scene in
            try await scene.send(
                "GET /api/v1/session HTTP/1.1\r\nHost: h\r\n\(Self.authorization)\r\n"
            )
            try await scene.pass(seconds: HTTPScene.databaseSeconds - 1)
            #expect(scene.isOpen && scene.text.isEmpty)
            try await scene.pass(seconds: 1)
            #expect(scene.text.hasPrefix("HTTP/1.1 503 "))
            #expect(scene.isOpen)
        }
    }

    @Test("who takes no responses is let go after 30 seconds, and 5 more for what waits")
    func slowReader() async throws {
        try await HTTPScene.run { scene in
            try await scene.overfill()
            #expect(scene.served.isAboveHighMark)
            let unsent = await scene.server.unsentByteCount()
            #expect(unsent >= scene.served.queuedByteCount)
            #expect(unsent > scene.served.limits.writeLowMark)
            try await scene.pass(seconds: 30)
            try await scene.pass(seconds: 4)
            #expect(scene.served.isOpen)
            try await scene.pass(seconds: 1)
            #expect(!scene.served.isOpen)
        }
    }

    @Test("who takes 32 KiB of its responses in 30 seconds is waited for until it stops")
    func steadyReader() async throws {
        try await HTTPScene.run { scene in
            try await scene.overfill()
            for _ in 0..<6 {
                try await scene.pass(seconds: 25)
                #expect(scene.served.isOpen)
                try await scene.take(byteCount: 32 << 10)
            }
            // What was taken last still counts once.
            for seconds in [30, 30, 5] { try await scene.pass(seconds: seconds) }
            #expect(!scene.served.isOpen)
        }
    }

    @Test("and so is who takes the last response, which ends whole")
    func steadyReaderOfTheLast() async throws {
        try await HTTPScene.run { scene in
            try await scene.overfill(last: "Connection: close\r\n")
            var rounds = 0
            while scene.served.queuedByteCount >= 32 << 10, rounds < 100 {
                try await scene.pass(seconds: 25)
                try #require(scene.served.isOpen)
                try await scene.take(byteCount: 32 << 10)
                rounds += 1
            }
            #expect(rounds > 1)
            scene.client.resumeReading()
            for _ in 0..<100 where scene.isOpen { try await scene.turn() }
            #expect(!scene.isOpen)
            #expect(scene.text.hasSuffix("</html>\n"))
        }
    }

    // MARK: The end, and WebSockets

    @Test(
        "once the server is shutting down, who has just come has a second to ask; who is idle has none"
    )
    func draining() async throws {
        try await HTTPScene.run { scene in
            scene.server.beginDraining()
            try await scene.turn()
            #expect(scene.isOpen)
            try await scene.pass(seconds: 1)
            #expect(!scene.isOpen)
            #expect(scene.text.isEmpty)
        }
        try await HTTPScene.run { scene in
            scene.server.beginDraining()
            try await scene.send(Self.request)
            #expect(scene.text.hasPrefix("HTTP/1.1 200 "))
            #expect(!scene.isOpen)
        }
        try await HTTPScene.run { scene in
            try await scene.send(Self.request)
            #expect(scene.isOpen)
            scene.server.beginDraining()
            try await scene.turn()
            #expect(!scene.isOpen)
        }
    }

    @Test("a WebSocket has 5 seconds to say whose it is, and 5 more to answer the close frame")
    func unauthenticated() async throws {
        try await HTTPScene.run { scene in
            try await scene.send(
                "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: \(subprotocolName)\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            #expect(scene.text.hasPrefix("HTTP/1.1 101 "))
            let byteCount = scene.received.count
            try await scene.pass(seconds: 4)
            #expect(scene.received.count == byteCount)
            try await scene.pass(seconds: 1)
            let code = CloseCode.unauthenticated.rawValue
            let frame: [UInt8] = [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)]
            #expect(Array(scene.received[byteCount...]) == frame)
            try await scene.pass(seconds: 4)
            #expect(scene.isOpen)
            try await scene.pass(seconds: 1)
            #expect(!scene.isOpen)
        }
    }
}
