import HTTPProtocol
import Testing

@Suite("Content codings")
struct ContentCodingTests {
    @Test(
        "the client's weights choose, then the server's order",
        arguments: [
            // Without the field the client may know no coding.
            (nil, .identity), ("", .identity), (" , ", .identity),
            ("gzip", .gzip), ("br", .brotli), ("gzip, deflate, br, zstd", .brotli),
            ("GZIP", .gzip), ("x-gzip", .gzip), ("deflate", .identity),
            ("br;q=0.5, gzip", .gzip), ("br;q=0.5,gzip;q=0.50", .brotli),
            ("br ; q=0.3 , gzip;q=0.301", .gzip), ("br;Q=0.1, gzip;q=1.000", .gzip),
            // A named coding is preferred to identity, unless that has a higher weight.
            ("gzip;q=0.001", .gzip), ("gzip;q=0.5, identity;q=0.6", .identity),
            ("gzip;q=0.5, identity;q=0.5", .gzip), ("gzip;q=0", .identity),
            // "*" is every coding that is not named.
            ("*", .brotli), ("*;q=0.5, gzip", .gzip), ("br;q=0, *", .gzip),
            ("br;q=0, gzip;q=0, *", .identity), ("*;q=0, identity", .identity),
            ("*;q=0, gzip;q=0.1", .gzip), ("gzip, *;q=0", .gzip),
            // Identity is forbidden, and there is nothing else.
            ("*;q=0", nil), ("identity;q=0", nil), ("deflate, identity;q=0.000", nil),
            ("identity;q=0, br;q=0.2", .brotli), ("identity;q=0, *", .brotli),
            // Malformed elements are ignored.
            ("gzip;q=2, br;q=0.1", .brotli), ("gzip;q=1.001", .identity), ("gzip;q=.5", .identity),
            ("gzip;q=0.0001", .identity), ("gzip;q=", .identity), ("gzip;q=-1", .identity),
            ("gzip;level=9", .identity), ("gzip;q=0.5;a=b", .identity), ("g zip", .identity),
            ("gzip;q=1.", .gzip), ("*;q=x", .identity), ("gzip br", .identity),
        ] as [(String?, ContentCoding?)]
    )
    func preferred(value: String?, expected: ContentCoding?) {
        var headers = HTTPHeaders()
        headers[.acceptEncoding] = value
        #expect(ContentCoding.preferred(of: [.brotli, .gzip, .identity], by: headers) == expected)
    }

    @Test("a coding that the server does not have is not chosen")
    func missing() {
        let headers: HTTPHeaders = [.acceptEncoding: "br, gzip;q=0.1"]
        #expect(ContentCoding.preferred(of: [.gzip, .identity], by: headers) == .gzip)
        #expect(ContentCoding.preferred(of: [.identity], by: headers) == .identity)
        let strict: HTTPHeaders = [.acceptEncoding: "br, identity;q=0"]
        #expect(ContentCoding.preferred(of: [.gzip, .identity], by: strict) == nil)
    }

    @Test("several lines of the field are one list")
    func lines() {
        var headers: HTTPHeaders = [.acceptEncoding: "gzip"]
        headers.add(.acceptEncoding, "br")
        #expect(ContentCoding.preferred(of: [.brotli, .gzip, .identity], by: headers) == .brotli)
    }
}
