import ChatServer
import HTTPProtocol
import Testing

@Suite("A request's client address")
struct ClientAddressTests {
    private static let proxies = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    private func address(
        peer: String?,
        _ headers: HTTPHeaders,
        trusting proxies: [AddressRange] = Self.proxies,
        in header: ForwardedHeader = .xForwardedFor
    ) -> String? {
        ClientAddress.of(peer: peer, headers, trusting: proxies, in: header)
    }

    @Test("is the connection's peer, whatever headers an untrusted client sends")
    func strangers() {
        let headers: HTTPHeaders = ["X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"]
        #expect(address(peer: "203.0.113.9", headers) == "203.0.113.9")
        #expect(address(peer: "203.0.113.9", headers, in: .forwarded) == "203.0.113.9")
        #expect(address(peer: nil, headers) == nil)
    }

    @Test("is the last address before the trusted proxies")
    func proxyChains() {
        let chain: HTTPHeaders = ["X-Forwarded-For": "192.0.2.66, 192.0.2.1, 10.0.0.7"]
        #expect(address(peer: "10.0.0.1", chain) == "192.0.2.1")
        #expect(address(peer: "::1", chain) == "192.0.2.1")
        #expect(address(peer: "10.0.0.1", ["X-Forwarded-For": "unknown"]) == "10.0.0.1")
        #expect(address(peer: "10.0.0.1", [:]) == "10.0.0.1")
    }

    @Test("is read only from the configured header")
    func otherHeader() {
        let headers: HTTPHeaders = ["X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.2"]
        #expect(address(peer: "10.0.0.1", headers) == "192.0.2.1")
        #expect(address(peer: "10.0.0.1", headers, in: .forwarded) == "192.0.2.2")
    }

    @Test(
        "is parsed from Forwarded as in RFC 7239",
        arguments: [
            ("for=192.0.2.43", "192.0.2.43"), ("For=\"192.0.2.43:47011\"", "192.0.2.43"),
            ("for=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=\"[2001:db8:cafe::17]\"", "2001:db8:cafe::17"),
            ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
            ("for=192.0.2.43;proto=http;by=203.0.113.43", "192.0.2.43"),
            ("proto=https; for=192.0.2.43 , for=10.0.0.2", "192.0.2.43"),
            ("for=192.0.2.1;host=\"a,for=192.0.2.9\", for=10.0.0.2", "192.0.2.1"),
            ("for=192.0.2.1;ext=\"\\\",for=192.0.2.9\"", "192.0.2.1"),
            // For a hidden or unknown client, the proxy's address is used.
            ("for=192.0.2.1, for=_hidden", "10.0.0.1"), ("for=unknown", "10.0.0.1"),
            ("for=192.0.2.1, proto=https", "10.0.0.1"), ("for", "10.0.0.1"), ("", "10.0.0.1"),
            ("for=\"192.0.2.1", "10.0.0.1"),
        ]
    )
    func forwarded(value: String, expected: String) {
        let headers: HTTPHeaders = ["Forwarded": value]
        #expect(address(peer: "10.0.0.1", headers, in: .forwarded) == expected)
    }

    @Test("is read from proxies on a trusted Unix socket")
    func unixSockets() throws {
        let unix = [try #require(AddressRange("unix"))]
        let headers: HTTPHeaders = ["X-Forwarded-For": "192.0.2.1"]
        #expect(address(peer: nil, headers, trusting: unix) == "192.0.2.1")
        #expect(address(peer: "192.0.2.9", headers, trusting: unix) == "192.0.2.9")
        #expect(address(peer: nil, [:], trusting: unix) == nil)
        #expect(!unix[0].contains("192.0.2.1"))
        #expect(!Self.proxies[0].contains(peer: nil))
    }
}
