import ChatServer
import Testing

@Suite("An address range")
struct AddressRangeTests {
    @Test(
        "contains the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
            ("192.0.2.128/25", "192.0.2.129", true), ("192.0.2.128/25", "192.0.2.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::1", "::1", true),
            ("2001:db8::/32", "2001:db8:1::5", true), ("2001:db8::/32", "2001:db9::5", false),
            ("2001:db8::/65", "2001:db8::1", true), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
            ("::/0", "10.0.0.1", true), ("127.0.0.1", "localhost", false),
            ("127.0.0.1", "", false), ("127.0.0.1", "127.0.0.1, 10.0.0.1", false),
        ]
    )
    func containing(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(address) == isInside)
    }

    @Test(
        "is not parsed from invalid text",
        arguments: [
            "", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "example.org",
            "10.0.0/8", "10.0.0.0/8/8",
        ]
    )
    func malformed(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
