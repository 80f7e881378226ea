import ChatServer
import Networking
import Testing

@Suite("Printed links")
struct PrintedLinkTests {
    @Test(
        "a link points to where a browser on this machine can reach the server",
        arguments: [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("192.0.2.1:80", "http://192.0.2.1:80"),
            ("[::1]:8080", "http://[::1]:8080"), ("0.0.0.0:8080", "http://localhost:8080"),
            ("[::]:8080", "http://localhost:8080"),
            ("[::ffff:0.0.0.0]:8080", "http://localhost:8080"),
            ("unix:/run/stoa.sock", nil), ("127.0.0.1:0", nil),
        ] as [(String, String?)]
    )
    func origins(place: String, origin: String?) throws {
        let address = try #require(SocketAddress(place))
        var settings = ServerSettings()
        #expect(settings.origin(listeningAt: address) == origin)
        #expect(settings.linkOrigin(listeningAt: address) == origin ?? "")
        settings.tlsCertificates = ["chain.pem"]
        let encrypted = origin.map { "https\($0.dropFirst(4))" }
        #expect(settings.origin(listeningAt: address) == encrypted)
        settings.publicURL = "https://chat.example.org"
        #expect(settings.linkOrigin(listeningAt: address) == "https://chat.example.org")
        #expect(settings.origin(listeningAt: address) == encrypted)
    }

    @Test("without a known address, a link begins with its path")
    func unknown() {
        #expect(ServerSettings().linkOrigin(listeningAt: nil).isEmpty)
    }
}
