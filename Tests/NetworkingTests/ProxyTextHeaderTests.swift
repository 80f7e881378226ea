import Networking
import TestSupport
import Testing

@Suite("PROXY headers of version 1")
struct ProxyTextHeaderTests {
    private func read(
        _ line: String,
        _ delivery: Delivery = .whole
    ) throws(ProxyHeaderError) -> ProxyHeaderReader.Source? {
        try ProxyHeaderTests.read(Array(line.utf8), delivery)
    }

    private static let lines: [(String, ProxyHeaderReader.Source)] = [
        (
            "PROXY TCP4 192.0.2.1 198.51.100.1 50000 443",
            .client(.ipv4(0xC000_0201, port: 50_000))
        ),
        ("PROXY TCP4 0.0.0.0 255.255.255.255 0 65535", .client(.ipv4(0, port: 0))),
        (
            "PROXY TCP6 2001:db8::1 2001:DB8::2 50000 443",
            .client(.ipv6(high: 0x2001_0DB8_0000_0000, low: 1, scope: 0, port: 50_000))
        ),
        ("PROXY TCP6 :: :: 1 1", .client(.ipv6(high: 0, low: 0, scope: 0, port: 1))),
        ("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2", .client(.ipv4(0xC000_0201, port: 1))),
        ("PROXY UNKNOWN", .proxyItself),
        ("PROXY UNKNOWN ", .proxyItself),
        ("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535", .proxyItself),
    ]

    @Test("a line contains the client, for every split", arguments: lines)
    func sources(line: String, source: ProxyHeaderReader.Source) throws {
        for delivery in Delivery.all {
            #expect(try read("\(line)\r\n", delivery) == source)
            // The following bytes do not belong to the header.
            #expect(try read("\(line)\r\nGET / HTTP/1.1\r\n\r\n", delivery) == source)
        }
    }

    @Test("no byte after the line is read", arguments: lines)
    func nothingAfter(line: String, source: ProxyHeaderReader.Source) throws {
        var reader = ProxyHeaderReader()
        var rest = Array("\(line)\r\n".utf8)[...]
        while !rest.isEmpty {
            #expect(reader.byteCountWanted <= rest.count)
            let part = Array(rest.prefix(reader.byteCountWanted))
            rest = rest.dropFirst(part.count)
            let read = try part.withUnsafeBytes { try reader.receive($0) }
            #expect(read == (rest.isEmpty ? source : nil))
        }
    }

    private static let wrong: [(String, ProxyHeaderError)] = [
        ("PROXYTCP4 1.1.1.1 1.1.1.1 1 1\r\n", .notAHeader),
        ("PUT / HTTP/1.1\r\n", .notAHeader),
        ("PROXY UDP4 1.1.1.1 1.1.1.1 1 1\r\n", .unknownKind),
        ("PROXY TCP5 1.1.1.1 1.1.1.1 1 1\r\n", .unknownKind),
        ("PROXY UNKNOWNS\r\n", .unknownKind),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1 1\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1 1\rx", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1 1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1  1.1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1 1 \r\n", .malformed),
        ("PROXY TCP4 01.1.1.1 1.1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.256 1.1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP4 localhost 1.1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP4 ::1 ::1 1 1\r\n", .malformed),
        ("PROXY TCP6 1.1.1.1 1.1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP6 [::1] ::1 1 1\r\n", .malformed),
        ("PROXY TCP6 ::1 fe80::1%1 1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1 1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 65536 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 01 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 +1 1\r\n", .malformed),
        ("PROXY TCP4 1.1.1.1 1.1.1.1 1 \r\n", .malformed),
        ("PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n", .tooLong),
    ]

    @Test("invalid lines are refused, for every split", arguments: wrong)
    func refusals(line: String, expected: ProxyHeaderError) {
        for delivery in Delivery.all {
            #expect(throws: expected) { try read(line, delivery) }
        }
    }

    @Test("an incomplete line waits for more bytes")
    func parts() throws {
        let line = "PROXY TCP4 192.0.2.1 198.51.100.1 50000 443\r\n"
        for count in 0..<line.utf8.count {
            #expect(try read(String(decoding: line.utf8.prefix(count), as: UTF8.self)) == nil)
        }
    }
}
