import HTTPProtocol
import Testing

@Suite("URLs of servers")
struct HTTPURLTests {
    @Test(
        "an origin is scheme, host and port",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://Chat.Example.org", "https://chat.example.org"),
            ("https://chat.example.org:443/", "https://chat.example.org"),
            ("http://[::1]:80", "http://[::1]"),
            ("[::1]", "http://[::1]"),
            ("http://a/path", nil), ("http://", nil), ("ftp://a", nil), ("http://a:b", nil),
            ("http://a:70000", nil), ("::1", nil), ("http://u@a", nil), ("a?", nil), ("a#", nil),
        ] as [(String, String?)]
    )
    func origins(text: String, normal: String?) {
        #expect(HTTPOrigin(text)?.description == normal)
    }

    @Test(
        "a URL is an origin and a target",
        arguments: [
            ("https://a.example/b/c?d=e#f", "https://a.example", "/b/c?d=e"),
            ("http://a.example", "http://a.example", "/"),
            ("http://a.example?q", "http://a.example", "/?q"),
            ("http://[::1]:81/x", "http://[::1]:81", "/x"),
        ]
    )
    func urls(text: String, origin: String, target: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.origin.description == origin)
        #expect(url.target == target)
    }

    @Test(
        "relative URLs and URLs with a user are refused",
        arguments: [
            "", "/a", "a.example/b", "ftp://a/b", "http:///b", "http://u:p@a/b", "https://:1/",
        ]
    )
    func notURLs(text: String) {
        #expect(HTTPURL(text) == nil)
    }

    @Test(
        "a redirect is a path, a host, or an absolute URL",
        arguments: [
            ("/c?d", "https://a.example:8443", "/c?d"),
            ("//b.example/c", "https://b.example", "/c"),
            ("http://b.example/c", "http://b.example", "/c"),
        ]
    )
    func redirects(location: String, origin: String, target: String) throws {
        let url = try #require(HTTPURL("https://a.example:8443/x/y"))
        let next = try #require(url.resolving(location))
        #expect(next.origin.description == origin)
        #expect(next.target == target)
        #expect(url.resolving("c") == nil)
    }
}
