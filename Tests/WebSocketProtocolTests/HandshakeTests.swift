import HTTPProtocol
import TestSupport
import Testing
import WebSocketProtocol

@Suite("The opening handshake")
struct HandshakeTests {
    /// The request of RFC 6455 section 1.3, with fields changed: nil removes one.
    private func request(
        _ changes: [HTTPHeaderName: String?] = [:],
        method: HTTPMethod = .get
    ) -> HTTPRequestHead {
        var head = HTTPRequestHead(
            method,
            "/chat",
            host: "server.example.com",
            headers: [
                "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol": "chat, superchat", "Sec-WebSocket-Version": "13",
            ]
        )
        for (name, value) in changes { head.headers[name] = value }
        return head
    }

    @Test("the example of RFC 6455 gets the response of RFC 6455")
    func example() throws {
        let acceptance = try WebSocketHandshake.accept(request(), subprotocols: ["chat"])
        #expect(acceptance.subprotocol == "chat")
        #expect(acceptance.response.status == .switchingProtocols)
        let headers = acceptance.response.headers
        #expect(headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(headers["Upgrade"] == "websocket")
        #expect(headers["Connection"] == "Upgrade")
        #expect(headers["Sec-WebSocket-Protocol"] == "chat")
    }

    @Test("the server selects its most preferred of the offered subprotocols")
    func subprotocols() throws {
        let both = try WebSocketHandshake.accept(request(), subprotocols: ["superchat", "chat"])
        #expect(both.subprotocol == "superchat")
        let none = try WebSocketHandshake.accept(request(), subprotocols: ["stoa.v1"])
        #expect(none.subprotocol == nil)
        #expect(!none.response.headers.contains("Sec-WebSocket-Protocol"))
    }

    @Test("names and tokens compare case-insensitively, also in lists")
    func tokens() throws {
        let head = request(["upgrade": "WebSocket, h2c", "connection": "keep-alive, UPGRADE"])
        _ = try WebSocketHandshake.accept(head)
    }

    @Test("an invalid handshake is refused with the status of its error")
    func refusals() {
        func refusal(_ head: HTTPRequestHead) -> WebSocketRefusal? {
            do throws(WebSocketRefusal) {
                _ = try WebSocketHandshake.accept(head)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(request()) == nil)
        #expect(refusal(request(["Upgrade": nil])) == .notAnUpgrade)
        #expect(refusal(request(["Upgrade": "h2c"])) == .notAnUpgrade)
        #expect(refusal(request(["Connection": nil])) == .malformed)
        #expect(refusal(request(["Connection": "close"])) == .malformed)
        #expect(refusal(request(method: .post)) == .malformed)
        #expect(refusal(request(["Content-Length": "0"])) == nil)
        for length in ["1", "10", "00005", "0, 5"] {
            #expect(refusal(request(["Content-Length": length])) == .malformed)
        }
        #expect(refusal(request(["Transfer-Encoding": "chunked"])) == .malformed)
        #expect(refusal(request(["Sec-WebSocket-Version": nil])) == .unsupportedVersion)
        #expect(refusal(request(["Sec-WebSocket-Version": "8"])) == .unsupportedVersion)
        for key in [
            nil, "", "short", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25j!Q==",
            "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZTE=",
        ] {
            #expect(refusal(request(["Sec-WebSocket-Key": key])) == .malformed)
        }
        var twice = request()
        twice.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(refusal(twice) == .malformed)
        var old = request()
        old.version = .http10
        #expect(refusal(old) == .malformed)
        #expect(WebSocketRefusal.malformed.response.status == .badRequest)
        let upgrade = WebSocketRefusal.unsupportedVersion.response
        #expect(upgrade.status == .upgradeRequired)
        #expect(upgrade.headers["Sec-WebSocket-Version"] == "13")
    }

    @Test("a client's handshake is that of RFC 6455, and the response is checked")
    func client() throws {
        let handshake = WebSocketClientHandshake(
            target: "/chat",
            host: "server.example.com",
            subprotocols: ["chat", "superchat"],
            headers: ["Origin": "http://example.com"],
            nonce: Array("the sample nonce".utf8)
        )
        #expect(handshake.request.headers["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
        let good = try WebSocketHandshake.accept(handshake.request, subprotocols: ["chat"]).response
        #expect(try handshake.verify(good) == "chat")

        func error(_ name: HTTPHeaderName, _ value: String?) -> WebSocketHandshakeError? {
            var response = good
            response.headers[name] = value
            do throws(WebSocketHandshakeError) {
                _ = try handshake.verify(response)
                return nil
            } catch {
                return error
            }
        }
        #expect(error("Sec-WebSocket-Accept", nil) == .malformed)
        #expect(error("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xO0=") == .malformed)
        #expect(error("Upgrade", nil) == .malformed)
        #expect(error("Connection", "close") == .malformed)
        #expect(error("Sec-WebSocket-Protocol", nil) == .wrongSubprotocol)
        #expect(error("Sec-WebSocket-Protocol", "other") == .wrongSubprotocol)
        #expect(error("Sec-WebSocket-Extensions", "permessage-deflate") == .wrongExtension)
        #expect(throws: WebSocketHandshakeError.refused(.forbidden)) {
            try handshake.verify(HTTPResponseHead(.forbidden))
        }
    }
}
