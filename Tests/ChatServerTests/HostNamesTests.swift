// A page on another site whose host name resolves to this machine reaches nothing.

import ChatProtocol
import ChatServer
import Testing

@Suite("Host names")
struct HostNamesTests {
    private static var settings: ServerSettings {
        var settings = ServerSettings()
        settings.nodeName = "Den"
        settings.publicURL = "https://chat.example.org:8443"
        settings.allowedHosts = ["stoa.lan"]
        return settings
    }

    @Test(
        "the server's own names and any address are accepted, with a port or without",
        arguments: [
            "localhost", "localhost:8080", "LOCALHOST", "localhost.", "den", "den:80",
            "chat.example.org", "chat.example.org:8443", "Chat.Example.ORG.", "stoa.lan:1",
            "127.0.0.1", "192.168.0.7:8080", "[::1]", "[2001:db8::1]:8080",
        ]
    )
    func own(host: String) {
        #expect(HostNames(Self.settings).contains(host))
    }

    @Test(
        "other names are refused",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "chat.example.org.evil",
            "example.org", "127.0.0.1.evil.example", "notlocalhost", "", "[", "1.2.3",
            "%6cocalhost", "*",
        ]
    )
    func foreign(host: String) {
        #expect(!HostNames(Self.settings).contains(host))
    }

    @Test("with * any name is accepted")
    func any() {
        var settings = ServerSettings()
        settings.allowedHosts = ["*"]
        #expect(HostNames(settings).contains("evil.example"))
    }

    @Test("an HTTP/1.0 request may omit the host")
    func none() {
        #expect(HostNames(Self.settings).contains(nil))
    }

    @Test(
        "a request to another name gets 421, on any route",
        arguments: [
            "GET / HTTP/1.1", "GET /api/v1/session HTTP/1.1", "POST /api/v1/session HTTP/1.1",
            "POST /api/v1/import HTTP/1.1", "GET /metrics HTTP/1.1", "OPTIONS * HTTP/1.1",
            "GET http://evil.example/ HTTP/1.1", "GET /%zz HTTP/1.1",
        ]
    )
    func requests(line: String) async throws {
        try await HTTPScene.run { scene in
            try await scene.send(
                "\(line)\r\nHost: evil.example:8080\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            #expect(scene.text.hasPrefix("HTTP/1.1 421 Misdirected Request\r\n"), "\(scene.text)")
            #expect(scene.text.contains("unknown host evil.example"))
            #expect(scene.text.contains("--allowed-hosts"))
        }
    }

    @Test("so does a WebSocket handshake")
    func webSocket() async throws {
        try await HTTPScene.run { scene in
            try await scene.send(
                "GET /ws HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
                    + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Protocol: \(subprotocolName)\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            #expect(scene.text.hasPrefix("HTTP/1.1 421 "), "\(scene.text)")
        }
    }

    @Test("health probes may use any name, since their responses contain no data")
    func probes() async throws {
        try await HTTPScene.run { scene in
            try await scene.send("GET /healthz HTTP/1.1\r\nHost: pod-7.cluster\r\n\r\n")
            #expect(scene.text.hasPrefix("HTTP/1.1 200 "), "\(scene.text)")
        }
        try await HTTPScene.run { scene in
            // There is no database here.
            try await scene.send("GET /readyz HTTP/1.1\r\nHost: pod-7.cluster\r\n\r\n")
            #expect(scene.text.hasPrefix("HTTP/1.1 503 "), "\(scene.text)")
        }
    }
}
