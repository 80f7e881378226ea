// Deadlines of HTTP connections on a fake clock. NetworkingTests covers TLS handshakes, PROXY
// headers and the ends of streams.

import ChatProtocol
import ChatServer
import Networking
import Testing

@Suite("Deadlines of HTTP connections")
struct HTTPDeadlineTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
    /// A header with a token, which only the database can check.
    private static let authorization =
        "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n"

    // MARK: Requests

    @Test("a silent client is disconnected after 30 seconds, without a response")
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
        "a request must be complete 30 seconds after its first byte, however slowly it arrives",
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
            // The connection's own 30 seconds start again with the first byte.
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

    @Test("75 seconds are allowed between two requests, and 30 once the next has begun")
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

    @Test("an upload may take any time if a part of it arrives every 30 seconds")
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

    @Test("the server's own processing time does not count")
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

    @Test("a client that reads no responses is disconnected after 30 seconds, plus 5 to flush")
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

    @Test("a client that reads 32 KiB of responses in 30 seconds stays connected until it stops")
    func steadyReader() async throws {
        try await HTTPScene.run { scene in
            try await scene.overfill()
            for _ in 0..<6 {
                try await scene.pass(seconds: 25)
                #expect(scene.served.isOpen)
                try await scene.take(byteCount: 32 << 10)
            }
            // The last read still counts once.
            for seconds in [30, 30, 5] { try await scene.pass(seconds: seconds) }
            #expect(!scene.served.isOpen)
        }
    }

    @Test("the same holds for the last response, which is sent completely")
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

    // MARK: Shutdown and WebSockets

    @Test(
        "on shutdown a new client has a second for its request; an idle one is disconnected"
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

    @Test("a WebSocket has 5 seconds to authenticate, and 5 more to answer the close frame")
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
