// The page's files as responses: caching, compression, and what a browser lets the page do.

import ChatServer
import HTTPProtocol
import Testing

@Suite("Files of the page")
struct PageFilesTests {
    private static let script = "assets/main-AB12CD34.js"
    private let files = PageFiles([
        ("index.html", Array("page".utf8)), ("index.html.gz", Array("page in gzip".utf8)),
        (script, Array("0123456789".utf8)), ("\(script).gz", Array("script in gzip".utf8)),
        ("\(script).br", Array("script in brotli".utf8)),
        ("assets/icon-12345678.png", Array("icon".utf8)),
    ])

    private func response(
        _ path: String,
        _ headers: HTTPHeaders = [:],
        _ method: HTTPMethod = .get
    ) -> Response {
        files.answer(
            path.split(separator: "/").map(String.init),
            HTTPRequestHead(method, "/\(path)", host: "h", headers: headers)
        )
    }

    private func text(_ response: Response) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test(
        "are sent in the coding that the client prefers",
        arguments: [
            (script, nil, "0123456789", nil), (script, "gzip", "script in gzip", "gzip"),
            (script, "gzip, br", "script in brotli", "br"),
            (script, "br;q=0.1, gzip;q=0.2", "script in gzip", "gzip"),
            (script, "identity, gzip;q=0.5", "0123456789", nil),
            // There is no form in brotli, and none but itself of a picture.
            ("", "gzip, br", "page in gzip", "gzip"), ("", "br", "page", nil),
            ("assets/icon-12345678.png", "gzip, br", "icon", nil),
        ] as [(String, String?, String, String?)]
    )
    func coding(path: String, accepted: String?, body: String, coding: String?) {
        var headers = HTTPHeaders()
        headers[.acceptEncoding] = accepted
        let found = response(path, headers)
        #expect(found.head.status == .ok && text(found) == body)
        #expect(found.head.headers[.contentEncoding] == coding)
        let varies = path != "assets/icon-12345678.png"
        #expect(found.head.headers[.vary] == (varies ? "Accept-Encoding" : nil))
    }

    @Test("are refused if the client accepts none of their codings")
    func notAcceptable() {
        let strict = response("assets/icon-12345678.png", [.acceptEncoding: "gzip, identity;q=0"])
        #expect(strict.head.status == .notAcceptable)
        #expect(strict.head.headers[.vary] == "Accept-Encoding")
        #expect(response(Self.script, [.acceptEncoding: "*;q=0"]).head.status == .notAcceptable)
        let gzip = response(Self.script, [.acceptEncoding: "gzip, identity;q=0"])
        #expect(text(gzip) == "script in gzip")
    }

    @Test("with a hash in their name are stored for a year, all others are revalidated")
    func caching() {
        for accepted in ["gzip", "identity"] {
            let headers: HTTPHeaders = [.acceptEncoding: accepted]
            #expect(response("", headers).head.headers[.cacheControl] == "no-cache")
            #expect(
                response(Self.script, headers).head.headers[.cacheControl]
                    == "public, max-age=31536000, immutable"
            )
        }
        // The next version of the server has other names: nobody should store that one is missing.
        let missing = response("assets/main-00000000.js")
        #expect(missing.head.status == .notFound)
        #expect(missing.head.headers[.cacheControl] == "no-store")
    }

    @Test("cannot be had compressed by another name")
    func names() {
        #expect(response("index.html.gz").head.status == .notFound)
        #expect(response("\(Self.script).br").head.status == .notFound)
    }

    @Test("have another entity tag in each coding, and 304 means the same coding")
    func tags() throws {
        let tags = try ["identity", "gzip", "br"].map { coding in
            try #require(response(Self.script, [.acceptEncoding: coding]).head.headers[.eTag])
        }
        #expect(Set(tags).count == 3)
        let same = response(Self.script, [.acceptEncoding: "gzip", .ifNoneMatch: tags[1]])
        #expect(same.head.status == .notModified && same.body.isEmpty)
        #expect(same.head.headers[.eTag] == tags[1])
        #expect(same.head.headers[.vary] == "Accept-Encoding")
        #expect(!same.head.headers.contains(.contentEncoding))
        let other = response(Self.script, [.acceptEncoding: "br", .ifNoneMatch: tags[1]])
        #expect(other.head.status == .ok)
    }

    @Test("have ranges only where they are not compressed")
    func ranges() throws {
        let range: HTTPHeaders = [.range: "bytes=2-4"]
        let part = response(Self.script, range)
        #expect(part.head.status == .partialContent && text(part) == "234")
        #expect(part.head.headers[.contentRange] == "bytes 2-4/10")
        #expect(part.head.headers[.vary] == "Accept-Encoding")
        let compressed = response(Self.script, [.range: "bytes=2-4", .acceptEncoding: "gzip"])
        #expect(compressed.head.status == .ok && text(compressed) == "script in gzip")
        #expect(!compressed.head.headers.contains(.acceptRanges))
        let tag = try #require(compressed.head.headers[.eTag])
        let ofOther = response(Self.script, [.range: "bytes=2-4", .ifRange: tag])
        #expect(ofOther.head.status == .ok)
    }

    @Test("allow the page its own files, and no device or other site")
    func policy() throws {
        let headers = response("").head.headers
        let policy = try #require(headers["Content-Security-Policy"])
        let sources = policy.split(separator: ";").flatMap { $0.split(separator: " ").dropFirst() }
        let allowed: Set<Substring> = ["'none'", "'self'", "data:", "'script'", "service-worker"]
        #expect(Set(sources) == allowed)
        #expect(policy.contains("default-src 'none'") && policy.contains("img-src 'self' data:;"))
        #expect(headers["Cross-Origin-Opener-Policy"] == "same-origin")
        let permissions = try #require(headers["Permissions-Policy"])
        for feature in ["camera", "microphone", "geolocation", "usb"] {
            #expect(permissions.contains("\(feature)=()"))
        }
        #expect(permissions.split(separator: ", ").allSatisfy { $0.hasSuffix("=()") })
    }
}
