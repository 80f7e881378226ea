import HTTPProtocol
import TestSupport
import Testing

@Suite("Responses as a client reads them")
struct ClientParsingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var body: String
        var method = HTTPMethod.get
        var endsWithStream = false
        var canContinue = true
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "a length", bytes: wire("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi"), body: "hi"),
        Case(name: "no phrase", bytes: wire("HTTP/1.1 200\nContent-Length: 2\n\nhi"), body: "hi"),
        Case(
            name: "chunks",
            bytes: wire("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n1\n!\n0\n\n"),
            body: "hi!"
        ),
        Case(
            name: "until the end",
            bytes: wire("HTTP/1.1 200 OK\n\nhello"),
            body: "hello",
            endsWithStream: true,
            canContinue: false
        ),
        Case(
            name: "nothing until the end",
            bytes: wire("HTTP/1.1 200 OK\n\n"),
            body: "",
            endsWithStream: true,
            canContinue: false
        ),
        Case(name: "204", bytes: wire("HTTP/1.1 204 No Content\n\n"), body: ""),
        Case(name: "304", bytes: wire("HTTP/1.1 304 NM\nContent-Length: 9\n\n"), body: ""),
        Case(
            name: "HEAD",
            bytes: wire("HTTP/1.1 200 OK\nContent-Length: 9\n\n"),
            body: "",
            method: .head
        ),
        Case(
            name: "Connection: close",
            bytes: wire("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 1\n\nx"),
            body: "x",
            canContinue: false
        ),
        Case(
            name: "HTTP/1.0",
            bytes: wire("HTTP/1.0 200 OK\nContent-Length: 1\n\nx"),
            body: "x",
            canContinue: false
        ),
    ]

    @Test(
        "the parsed response does not depend on how the bytes are split",
        arguments: cases,
        Delivery.all
    )
    func reads(_ one: Case, _ delivery: Delivery) {
        let transcript = ClientTranscript(
            one.bytes,
            delivery,
            to: one.method,
            thenEnd: one.endsWithStream
        )
        #expect(transcript.error == nil)
        #expect(transcript.events.last == .end)
        #expect(transcript.isReadyForRequest == one.canContinue)
        let bodies = transcript.events.compactMap { event in
            if case .body(let bytes) = event { text(bytes) } else { nil }
        }
        #expect(bodies.joined() == one.body)
    }

    @Test("informational responses come before the final one")
    func informational() {
        let bytes = wire("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early\nLink: x\n\nHTTP/1.1 204\n\n")
        let statuses = ClientTranscript(bytes).events.map { event in
            switch event {
            case .informational(let head): head.status.code
            case .response(let head): head.status.code * 10
            default: 0
            }
        }
        #expect(statuses == [100, 103, 2040, 0])
    }

    @Test("101 returns the bytes after it")
    func upgrade() {
        let bytes = wire("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\n") + [1, 2]
        #expect(ClientTranscript(bytes).events.last == .upgrade(remaining: [1, 2]))
    }

    static let refused: [(String, HTTPError)] = [
        ("HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked\n\n", .ambiguousLength),
        ("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n", .ambiguousLength),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: gzip\n\n", .unsupportedTransferCoding),
        ("HTTP/2.0 200 OK\n\n", .unsupportedVersion),
        ("HTTP/1.1 20 OK\n\n", .malformedStartLine),
        ("HTTP/1.1 2000 OK\n\n", .malformedStartLine),
        ("HTTP/1.1 099 OK\n\n", .malformedStartLine),
        ("HTTP/1.1 +99 OK\n\n", .malformedStartLine),
        ("HTTP/1.1  200 OK\n\n", .malformedStartLine),
        ("ICY 200 OK\n\n", .malformedStartLine),
        ("HTTP/1.1 200 OK\nContent-Length : 1\n\n", .malformedHeader),
        ("HTTP/1.1 200 OK\nContent-Length: 99\n\n", .bodyTooLarge),
        ("HTTP/1.1 200 OK\n\n01234567890", .bodyTooLarge),
    ]

    @Test("a malformed response is refused", arguments: refused, Delivery.all)
    func refuses(_ one: (String, HTTPError), _ delivery: Delivery) {
        let limits = HTTPLimits(bodyBytesMax: 10)
        let transcript = ClientTranscript(wire(one.0), delivery, limits: limits)
        #expect(transcript.error == one.1)
    }

    @Test("a truncated response is an error for every kind of framing")
    func truncation() {
        for part in [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\nContent-Length: 2\n\nx",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n",
        ] {
            #expect(ClientTranscript(wire(part), thenEnd: true).error == .truncated)
        }
    }

    @Test("bytes without a request end the connection")
    func unsolicited() throws {
        var connection = HTTPClientConnection()
        #expect(try connection.events(after: wire("HTTP/1.1 408 Request Timeout\n\n")) == [])
        let shouldClose = connection.shouldClose
        #expect(shouldClose)
    }

    @Test("a request has its length, and its target cannot end the line")
    func requests() {
        var connection = HTTPClientConnection()
        let head = HTTPRequestHead(.post, "/a b\r\nX: y#f", host: "h:1", headers: [.host: "z"])
        let bytes = connection.send(head, body: [65])
        let expected = "POST /a%20b%0D%0AX:%20y%23f HTTP/1.1\nHost: h:1\nContent-Length: 1\n\nA"
        #expect(bytes == wire(expected))
        var other = HTTPClientConnection()
        let get = other.send(HTTPRequestHead(.get, "", host: "h"))
        #expect(get == wire("GET / HTTP/1.1\nHost: h\n\n"))
    }
}
