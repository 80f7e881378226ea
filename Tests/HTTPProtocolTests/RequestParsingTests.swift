import HTTPProtocol
import TestSupport
import Testing

@Suite("Valid requests")
struct RequestParsingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var requests: [String]
        var bodies: [String] = []
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ requests: [String], bodies: [String] = []) {
            self.name = name
            self.bytes = wire(text)
            self.requests = requests
            self.bodies = bodies
        }
    }

    static let cases: [Case] = [
        Case("a plain GET", "GET /a?b=c HTTP/1.1\nHost: h\n\n", ["GET /a?b=c"]),
        Case("a GET of HTTP/1.0 without Host", "GET / HTTP/1.0\n\n", ["GET /"]),
        Case("a later minor version", "GET / HTTP/1.9\nHost: h\n\n", ["GET /"]),
        Case("an unknown method", "BREW /pot HTTP/1.1\nHost: h\n\n", ["BREW /pot"]),
        Case("one empty line first", "\nGET / HTTP/1.1\nHost: h\n\n", ["GET /"]),
        Case(
            "an empty Host beside an absolute target",
            "GET http://h/ HTTP/1.1\nHost:\n\n",
            ["GET /"]
        ),
        Case("a Host with port", "GET / HTTP/1.1\nHost: [::1]:8080\n\n", ["GET /"]),
        Case("a Host with an escape", "GET / HTTP/1.1\nHost: a%20b\n\n", ["GET /"]),
        Case("a Host without the port's digits", "GET / HTTP/1.1\nHost: h:\n\n", ["GET /"]),
        Case(
            "an expectation in HTTP/1.0, which is ignored",
            "GET / HTTP/1.0\nExpect: 200-ok\n\n",
            ["GET /"]
        ),
        Case("OPTIONS of the server", "OPTIONS * HTTP/1.1\nHost: h\n\n", ["OPTIONS *"]),
        Case(
            "an absolute target",
            "GET http://other:81/x?y HTTP/1.1\nHost: h\n\n",
            ["GET /x?y"]
        ),
        Case(
            "an absolute target without a path",
            "GET http://other HTTP/1.1\nHost: h\n\n",
            ["GET /"]
        ),
        Case(
            "a body with a length",
            "POST / HTTP/1.1\nHost: h\nContent-Length: 5\n\nhello",
            ["POST /"],
            bodies: ["hello"]
        ),
        Case(
            "an empty body",
            "POST / HTTP/1.1\nHost: h\nContent-Length: 0\n\n",
            ["POST /"]
        ),
        Case(
            "a chunked body",
            "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: Chunked\n\n5\nhello\n7\n, world\n0\n\n",
            ["POST /"],
            bodies: ["hello, world"]
        ),
        Case(
            "chunks with extensions and trailers",
            "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n"
                + "00A;x=\"y\"\n0123456789\n1 ;z ; q = r;s=\"a;\\\"b\"\n!\n0;last\nChecksum: 7\n\n",
            ["POST /"],
            bodies: ["0123456789!"]
        ),
        Case(
            "a line end inside a chunk",
            "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n4\n\n\n\n0\n\n",
            ["POST /"],
            bodies: ["\r\n\r\n"]
        ),
        Case(
            "pipelined requests",
            "POST /1 HTTP/1.1\nHost: h\nContent-Length: 3\n\nabcGET /2 HTTP/1.1\nHost: h\n\n"
                + "POST /3 HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n1\nd\n0\n\n",
            ["POST /1", "GET /2", "POST /3"],
            bodies: ["abc", "d"]
        ),
        Case(
            "nothing after Connection: close",
            "GET /1 HTTP/1.1\nHost: h\nConnection: close\n\nGET /2 HTTP/1.1\nHost: h\n\n",
            ["GET /1"]
        ),
        Case(
            "keep-alive in HTTP/1.0",
            "GET /1 HTTP/1.0\nConnection: Keep-Alive\n\nGET /2 HTTP/1.0\n\nGET /3 HTTP/1.0\n\n",
            ["GET /1", "GET /2"]
        ),
    ]

    @Test(
        "the parsed request does not depend on how the bytes are split",
        arguments: cases,
        Delivery.all
    )
    func reads(_ one: Case, _ delivery: Delivery) {
        let transcript = ServerTranscript(one.bytes, delivery)
        #expect(transcript.error == nil)
        #expect(transcript.requests == one.requests)
        #expect(transcript.bodies == one.bodies)
        #expect(transcript.events.count { $0 == .end } == one.requests.count)
        #expect(transcript == ServerTranscript(one.bytes))
    }

    @Test("a head keeps its fields in order, with values trimmed")
    func headFields() throws {
        let bytes = wire("GET /p HTTP/1.1\nHost: h\nX-A: \t one \nx-a:two\nEmpty:\n\n")
        guard case .request(let head)? = ServerTranscript(bytes).events.first else {
            Issue.record("no request")
            return
        }
        #expect(head.headers.fields.map(\.name.text) == ["Host", "X-A", "x-a", "Empty"])
        #expect(head.headers["X-a"] == "one, two")
        #expect(head.headers["empty"] == "")
        #expect(head.headers["absent"] == nil)
        #expect(head.version == .http11)
    }

    @Test("the host of an absolute target overrides the field")
    func absoluteTarget() {
        let bytes = wire("GET http://other:81/x HTTP/1.1\nHost: h\n\n")
        guard case .request(let head)? = ServerTranscript(bytes).events.first else {
            Issue.record("no request")
            return
        }
        #expect(head.headers.values(of: .host) == ["other:81"])
    }

    @Test("an upgrade returns the bytes after the request", arguments: Delivery.all)
    func upgrade(_ delivery: Delivery) {
        let head = wire("GET /ws HTTP/1.1\nHost: h\nConnection: upgrade\nUpgrade: w\n\n")
        let transcript = ServerTranscript(head, delivery)
        #expect(transcript.events.last == .upgrade(remaining: []))
        let more = ServerTranscript(head + [1, 2, 3])
        #expect(more.events.last == .upgrade(remaining: [1, 2, 3]))
    }
}
