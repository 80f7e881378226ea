import Networking
import Testing

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "a parsed address has the same description",
        arguments: [
            "127.0.0.1:80", "0.0.0.0:0", "255.1.2.3:65535", "[::1]:8080", "[2001:db8::ff00:42]:1",
            "unix:/run/stoa.sock", "unix:relative",
        ]
    )
    func roundTrip(_ text: String) {
        #expect(SocketAddress(text)?.description == text)
    }

    @Test("localhost is the loopback address, without resolving")
    func localhost() {
        #expect(SocketAddress("localhost:80")?.description == "127.0.0.1:80")
        #expect(SocketAddress(host: "[::1]", port: 5)?.description == "[::1]:5")
        #expect(SocketAddress(host: "::1", port: 5)?.host == "::1")
    }

    @Test(
        "a text that is not an address is refused",
        arguments: [
            "", ":", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
            "127.0.0.256:1", "::1:80", "[::1]", "[::1:80", "example.org:80",
        ]
    )
    func refused(_ text: String) {
        #expect(SocketAddress(text) == nil)
    }
}
