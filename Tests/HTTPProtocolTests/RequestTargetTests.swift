import HTTPProtocol
import Testing

@Suite("Targets, cookies")
struct RequestTargetTests {
    private func head(_ target: String, cookie: String? = nil) -> HTTPRequestHead {
        var head = HTTPRequestHead(.get, target, host: "h")
        head.headers[.cookie] = cookie
        return head
    }

    @Test("the first question mark separates path and query")
    func parts() {
        #expect(head("/a/b?c=d?e").path == "/a/b")
        #expect(head("/a/b?c=d?e").query == "c=d?e")
        #expect(head("/a").query == nil)
        #expect(head("/a?").query == "")
    }

    @Test(
        "segments are decoded",
        arguments: [
            ("/", []), ("/a/b%20c", ["a", "b c"]), ("/a/", ["a", ""]), ("/a?b/c", ["a"]),
            ("/%C3%A9", ["\u{E9}"]), ("/a+b", ["a+b"]), ("/...", ["..."]),
        ] as [(String, [String])]
    )
    func segments(_ one: (String, [String])) {
        #expect(head(one.0).pathSegments == one.1)
    }

    @Test(
        "an unsafe path has no segments",
        arguments: [
            "/..", "/a/../b", "/./a", "/%2e%2E/a", "/a%2fb", "/a%5Cb", "/a\\b", "/a%00", "/a%0a",
            "/%", "/%4", "/%zz", "/%ff", "/a//b", "//", "*",
        ]
    )
    func refusedSegments(_ target: String) {
        #expect(head(target).pathSegments == nil)
    }

    @Test("query items are decoded, wrong escapes refused")
    func queries() {
        let items = head("/?a=1&b=two+words&c&=d&a=%26").queryItems
        #expect(items?.map(\.name) == ["a", "b", "c", "", "a"])
        #expect(items?.map(\.value) == ["1", "two words", "", "d", "&"])
        #expect(head("/?a=1&b=2").queryValue("b") == "2")
        #expect(head("/?a=%f").queryItems == nil)
        #expect(head("/").queryItems == [])
    }

    @Test("decoding reverses encoding")
    func encoding() {
        let text = "a b/c?d=e&f%g+h\u{E9}~\0"
        let encoded = PercentEncoding.encode(text)
        #expect(encoded == "a%20b%2Fc%3Fd%3De%26f%25g%2Bh%C3%A9~%00")
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test("a cookie is found by its whole name")
    func cookies() {
        let cookies = "session_old=0; session=abc; q=\"quoted\"; e=; eq=a=b;broken"
        #expect(head("/", cookie: cookies).cookie("session") == "abc")
        #expect(head("/", cookie: cookies).cookie("q") == "quoted")
        #expect(head("/", cookie: cookies).cookie("e") == "")
        #expect(head("/", cookie: cookies).cookie("eq") == "a=b")
        #expect(head("/", cookie: cookies).cookie("broken") == nil)
        #expect(head("/").cookie("session") == nil)
    }

    @Test("Set-Cookie has its attributes and nothing injected")
    func setCookies() {
        let cookie = HTTPCookie(
            "session",
            "abc",
            maxAge: .seconds(3600),
            isSecure: true,
            sameSite: .strict
        )
        #expect(
            cookie?.setCookieValue
                == "session=abc; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict"
        )
        let plain = HTTPCookie("a", "b", path: "/x", isHTTPOnly: false, isSecure: false)
        #expect(plain?.setCookieValue == "a=b; Path=/x; SameSite=Lax")
        #expect(HTTPCookie("a", "b; Domain=evil", isSecure: true) == nil)
        #expect(HTTPCookie("a b", "c", isSecure: true) == nil)
        #expect(HTTPCookie("a", "b\r\n", isSecure: true) == nil)
        #expect(HTTPCookie("a", "b", path: "x", isSecure: true) == nil)
    }
}
