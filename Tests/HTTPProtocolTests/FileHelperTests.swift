import HTTPProtocol
import Testing

@Suite("Dates, entity tags, media types")
struct FileHelperTests {
    @Test(
        "dates are formatted as in RFC 9110",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
        ]
    )
    func dates(_ one: (Int, String)) {
        #expect(HTTPDate.format(secondsSince1970: one.0) == one.1)
    }

    @Test("If-None-Match compares weakly and reads lists")
    func ifNoneMatch() throws {
        let tag = try #require(EntityTag("v,1"))
        #expect("\(tag)" == "\"v,1\"")
        for matching in ["*", "\"v,1\"", "W/\"v,1\"", "\"a\", \"v,1\"", " , W/\"v,1\" ,"] {
            #expect(tag.matches(ifNoneMatch: matching))
        }
        for other in ["", "\"v\"", "v,1", "\"v,1", "\"a\" \"v,1\"", "w/\"v,1\"", "\"V,1\""] {
            #expect(!tag.matches(ifNoneMatch: other))
        }
    }

    @Test("only strong tags are strongly equal")
    func strongComparison() throws {
        let strong = try #require(EntityTag("1"))
        let weak = try #require(EntityTag("1", isWeak: true))
        #expect("\(weak)" == "W/\"1\"")
        #expect(strong.isStronglyEqual(to: strong))
        #expect(!strong.isStronglyEqual(to: weak))
        #expect(!weak.isStronglyEqual(to: weak))
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a b") == nil)
    }

    @Test("a file's type is known by its extension")
    func mediaTypes() {
        #expect(MediaType.ofFile(named: "index.html") == "text/html; charset=utf-8")
        #expect(MediaType.ofFile(named: "a.b.JS") == "text/javascript; charset=utf-8")
        #expect(MediaType.ofFile(named: "logo.svg") == "image/svg+xml")
        #expect(MediaType.ofFile(named: "model.safetensors") == MediaType.unknown)
        #expect(MediaType.ofFile(named: "Makefile") == MediaType.unknown)
    }

    @Test("a status has its phrase and says whether it has a body")
    func statuses() {
        #expect("\(HTTPStatus(404))" == "404 Not Found")
        #expect("\(HTTPStatus(299))" == "299")
        #expect(HTTPStatus(101).forbidsBody && HTTPStatus(204).forbidsBody)
        #expect(!HTTPStatus(200).forbidsBody)
    }
}
