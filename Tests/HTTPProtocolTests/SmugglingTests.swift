// Requests that two readers could parse differently, and malformed ones: all are refused, whatever
// follows them.

import HTTPProtocol
import TestSupport
import Testing

@Suite("Invalid requests")
struct SmugglingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var error: HTTPError
        var testDescription: String { "\(error): \(text(bytes).debugDescription)" }

        init(_ error: HTTPError, raw: String) {
            self.bytes = Array(raw.utf8)
            self.error = error
        }

        init(_ error: HTTPError, _ text: String) {
            self.bytes = wire(text)
            self.error = error
        }

        /// A request whose fields after `Host` are `fields`.
        static func fields(_ fields: String, _ error: HTTPError, body: String = "") -> Case {
            Case(error, "POST / HTTP/1.1\nHost: h\n\(fields)\n\n\(body)")
        }

        /// A chunked request with this body.
        static func chunks(_ body: String) -> Case {
            .fields("Transfer-Encoding: chunked", .malformedChunk, body: body)
        }
    }

    static let lengths: [Case] = [
        .fields("Content-Length: 5\nTransfer-Encoding: chunked", .ambiguousLength),
        .fields("Transfer-Encoding: chunked\nContent-Length: 5", .ambiguousLength),
        .fields("Content-Length: 5\nContent-Length: 6", .ambiguousLength),
        .fields("Content-Length: 5\nContent-Length: 5", .ambiguousLength),
        .fields("Content-Length: 5, 5", .ambiguousLength),
        .fields("Content-Length: +5", .ambiguousLength),
        .fields("Content-Length: -5", .ambiguousLength),
        .fields("Content-Length: 0x5", .ambiguousLength),
        .fields("Content-Length: 5 5", .ambiguousLength),
        .fields("Content-Length:", .ambiguousLength),
        .fields("Content-Length: \u{0665}", .ambiguousLength),
        .fields("Content-Length: 99999999999999999999", .ambiguousLength),
        .fields("Transfer-Encoding: chunked, chunked", .ambiguousLength),
        .fields("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", .ambiguousLength),
        .fields("Transfer-Encoding: chunked, identity", .ambiguousLength),
        .fields("Transfer-Encoding:", .ambiguousLength),
        .fields("Transfer-Encoding: gzip, chunked", .unsupportedTransferCoding),
        .fields("Transfer-Encoding: gzip", .unsupportedTransferCoding),
        .fields("Transfer-Encoding: xchunked", .unsupportedTransferCoding),
        .fields("Transfer-Encoding: \"chunked\"", .unsupportedTransferCoding),
        Case(.ambiguousLength, "POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n0\n\n"),
    ]

    static let fieldLines: [Case] = [
        .fields("Transfer-Encoding : chunked", .malformedHeader),
        .fields(" Transfer-Encoding: chunked", .malformedHeader),
        .fields("A: b\n folded", .malformedHeader),
        .fields("A: b\n\tfolded", .malformedHeader),
        .fields("A B: c", .malformedHeader),
        .fields("A\tB: c", .malformedHeader),
        .fields(": no name", .malformedHeader),
        .fields("no colon", .malformedHeader),
        .fields("A(b): c", .malformedHeader),
        .fields("\u{C4}: c", .malformedHeader),
        .fields("A: b\0c", .malformedHeader),
        .fields("A: b\u{7F}c", .malformedHeader),
        Case(.malformedHeader, raw: "GET / HTTP/1.1\r\nHost: h\r\nA: b\rC: d\r\n\r\n"),
        Case(.malformedHeader, raw: "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n"),
        Case(.malformedHeader, raw: "GET / HTTP/1.1\r\nHost: h\r\n\n"),
        Case(.malformedHeader, raw: "GET / HTTP/1.1\r\nHost: h\r\r\n\r\n"),
        Case(.malformedHeader, "GET / HTTP/1.1\n Host: h\n\n"),
    ]

    static let hosts: [Case] = [
        Case(.invalidHost, "GET / HTTP/1.1\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost:\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: :80\n\n"),
        Case(.invalidHost, "GET / HTTP/1.0\nHost:\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a\nHost: a\n\n"),
        Case(.invalidHost, "GET / HTTP/1.0\nHost: a\nHost: b\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a, b\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a/b\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: user@a\n\n"),
        Case(.invalidHost, "GET http://a/ HTTP/1.1\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a:b\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a:80:80\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a:65536\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: ::1\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: [::1\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: [::1]x\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: [a.b]\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a[b]\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a%2\n\n"),
        Case(.invalidHost, "GET / HTTP/1.1\nHost: a%zz\n\n"),
    ]

    static let startLines: [Case] = [
        Case(.malformedStartLine, "\n\nGET / HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET /\n\n"),
        Case(.malformedStartLine, "GET  / HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET / HTTP/1.1 \n\n"),
        Case(.malformedStartLine, " GET / HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET\t/\tHTTP/1.1\n\n"),
        Case(.malformedStartLine, "G@T / HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET path HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET * HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET /a#b HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET /\u{E9} HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET /\u{7F} HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET ftp://h/ HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET http:///x HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET http://u@h/x HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET http://:80/x HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET http://h:x/ HTTP/1.1\n\n"),
        Case(.malformedStartLine, "GET / http/1.1\n\n"),
        Case(.malformedStartLine, "GET / HTTP/1\n\n"),
        Case(.malformedStartLine, "GET / HTTP/1.10\n\n"),
        Case(.malformedStartLine, "GET / HTTP/1,1\n\n"),
        Case(.malformedStartLine, raw: "GET / HTTP/1.1\nHost: h\r\n\r\n"),
        Case(.malformedStartLine, raw: "GET /\rx HTTP/1.1\r\n\r\n"),
        Case(.unsupportedVersion, "GET / HTTP/2.0\nHost: h\n\n"),
        Case(.unsupportedVersion, "PRI * HTTP/2.0\n\nSM\n\n"),
        Case(.unsupportedMethod, "CONNECT h:443 HTTP/1.1\nHost: h\n\n"),
    ]

    static let chunkLines: [Case] = [
        .chunks("\nhello"), .chunks("x\nhello"), .chunks("0x5\nhello\n0\n\n"),
        .chunks("+5\nhello\n0\n\n"), .chunks("-5\nhello\n0\n\n"), .chunks(" 5\nhello\n0\n\n"),
        .chunks("5 \nhello\n0\n\n"), .chunks("5 5\nhello\n0\n\n"), .chunks("5\nhelloX\n0\n\n"),
        .chunks("5\nhello0\n\n\n"), .chunks("10000000000000000\n"),
        .chunks("0000000000000005\nhello\n0\n\n"), .chunks("5;a\0b\nhello\n0\n\n"),
        .chunks("5;\(String(repeating: "x", count: 300))\nhello\n0\n\n"),
        .chunks("5;\nhello\n0\n\n"), .chunks("5;;a\nhello\n0\n\n"), .chunks("5;a=\nhello\n0\n\n"),
        .chunks("5;=b\nhello\n0\n\n"), .chunks("5;a b\nhello\n0\n\n"),
        .chunks("5;a \nhello\n0\n\n"),
        .chunks("5;a=\"b\nhello\n0\n\n"), .chunks("5;a=\"b\\\nhello\n0\n\n"),
        .chunks("5;a=\"b\"c\nhello\n0\n\n"), .chunks("5;a=b=c\nhello\n0\n\n"),
        .fields(
            "Transfer-Encoding: chunked",
            .malformedHeader,
            body: "5\nhello\n0\nX : y\n\n"
        ),
        Case(
            .malformedChunk,
            raw: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n"
        ),
        Case(
            .malformedChunk,
            raw: "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\n\n0\r\n\r\n"
        ),
    ]

    static let expectations: [Case] = [
        .fields("Expect: 200-ok", .unsupportedExpectation),
        .fields("Expect: 100-continue, x", .unsupportedExpectation),
        .fields("Expect: 100-continue\nExpect: x", .unsupportedExpectation),
        .fields("Expect: 100-continue=1", .unsupportedExpectation),
    ]

    static let cases = lengths + fieldLines + hosts + startLines + chunkLines + expectations

    @Test("an ambiguous or malformed request is refused", arguments: cases, Delivery.all)
    func refuses(_ one: Case, _ delivery: Delivery) {
        // A smuggled request after the wrong one must never surface.
        let smuggled = wire("GET /smuggled HTTP/1.1\nHost: h\n\n")
        let transcript = ServerTranscript(one.bytes + smuggled, delivery)
        #expect(transcript.error == one.error)
        #expect(transcript.shouldClose)
        #expect(!transcript.requests.contains("GET /smuggled"))
    }

    @Test("each error has the status that RFC 9110 gives it")
    func statuses() {
        #expect(HTTPError.ambiguousLength.status.code == 400)
        #expect(HTTPError.truncated.status.code == 400)
        #expect(HTTPError.timeout.status.code == 408)
        #expect(HTTPError.bodyTooLarge.status.code == 413)
        #expect(HTTPError.unsupportedExpectation.status.code == 417)
        #expect(HTTPError.startLineTooLong.status.code == 414)
        #expect(HTTPError.headersTooLarge.status.code == 431)
        #expect(HTTPError.unsupportedTransferCoding.status.code == 501)
        #expect(HTTPError.unsupportedMethod.status.code == 501)
        #expect(HTTPError.unsupportedVersion.status.code == 505)
    }

    @Test("a truncated request is an error, a connection without a request is not")
    func truncation() {
        for part in ["GET", "GET / HTTP/1.1\n", "GET / HTTP/1.1\nHost: h\n"] {
            #expect(ServerTranscript(wire(part), thenEnd: true).error == .truncated)
        }
        let body = wire("POST / HTTP/1.1\nHost: h\nContent-Length: 5\n\nhell")
        #expect(ServerTranscript(body, thenEnd: true).error == .truncated)
        let empty = ServerTranscript([], thenEnd: true)
        #expect(empty.error == nil && empty.shouldClose)
        let whole = ServerTranscript(wire("GET / HTTP/1.1\nHost: h\n\n"), thenEnd: true)
        #expect(whole.error == nil && whole.shouldClose)
    }
}
