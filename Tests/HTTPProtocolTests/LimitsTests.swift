import HTTPProtocol
import TestSupport
import Testing

@Suite("Limits")
struct LimitsTests {
    static let limits = HTTPLimits(
        startLineBytesMax: 20,
        headerBytesMax: 40,
        headerCountMax: 3,
        bodyBytesMax: 10,
        pipelinedBytesMax: 100
    )

    private func error(_ text: String, _ delivery: Delivery) -> HTTPError? {
        ServerTranscript(wire(text), delivery, limits: Self.limits).error
    }

    @Test("a message at a limit is accepted, one more byte is refused", arguments: Delivery.all)
    func edges(_ delivery: Delivery) {
        // "GET /123456 HTTP/1.1" has 20 bytes.
        #expect(error("GET /123456 HTTP/1.1\nHost: h\n\n", delivery) == nil)
        #expect(error("GET /1234567 HTTP/1.1\nHost: h\n\n", delivery) == .startLineTooLong)
        // "Host: h" and its end have 9 bytes.
        let value = String(repeating: "v", count: 26)
        #expect(error("GET / HTTP/1.1\nHost: h\nA: \(value)\n\n", delivery) == nil)
        #expect(error("GET / HTTP/1.1\nHost: h\nA: \(value)v\n\n", delivery) == .headersTooLarge)
        #expect(error("GET / HTTP/1.1\nHost: h\nA:\nB:\n\n", delivery) == nil)
        #expect(error("GET / HTTP/1.1\nHost: h\nA:\nB:\nC:\n\n", delivery) == .headersTooLarge)
    }

    @Test(
        "a body over the limit is refused as soon as its length is known",
        arguments: Delivery.all
    )
    func body(_ delivery: Delivery) {
        let head = "POST / HTTP/1.1\nHost: h\n"
        #expect(error(head + "Content-Length: 10\n\n0123456789", delivery) == nil)
        #expect(error(head + "Content-Length: 11\n\n", delivery) == .bodyTooLarge)
        let chunked = "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n"
        let wide = HTTPLimits(bodyBytesMax: 10)
        func chunkedError(_ body: String) -> HTTPError? {
            ServerTranscript(wire(chunked + body), delivery, limits: wide).error
        }
        #expect(chunkedError("5\nhello\n5\nworld\n0\n\n") == nil)
        #expect(chunkedError("5\nhello\n6\n") == .bodyTooLarge)
        #expect(chunkedError("fffffffffffffff\n") == .bodyTooLarge)
    }

    @Test("an endless line is refused before its end")
    func endlessLines() {
        let endless = Array(repeating: UInt8(ascii: "a"), count: 100)
        #expect(ServerTranscript(endless, limits: Self.limits).error == .startLineTooLong)
        let field = wire("GET / HTTP/1.1\n") + endless
        #expect(ServerTranscript(field, limits: Self.limits).error == .headersTooLarge)
    }

    @Test("trailers are bounded like fields")
    func trailers() {
        let many = (0..<200).map { "T\($0): x\n" }.joined()
        let bytes = wire(
            "POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n0\n\(many)\n"
        )
        #expect(ServerTranscript(bytes).error == .headersTooLarge)
    }

    @Test("a route may set another limit for its body")
    func routeLimit() throws {
        var connection = HTTPServerConnection(limits: Self.limits)
        let head = wire("POST / HTTP/1.1\nHost: h\nContent-Length: 30\n\n")
        head.withUnsafeBytes { connection.receive($0) }
        _ = try connection.nextEvent()
        connection.bodyBytesMax = 30
        let events = try connection.events(after: Array(repeating: 7, count: 30))
        #expect(events == [.body(Array(repeating: 7, count: 30)), .end])
        _ = connection.send(HTTPResponseHead(.ok))
        #expect(throws: HTTPError.bodyTooLarge) { try connection.events(after: head) }
    }

    @Test("reading pauses if a client sends too far ahead")
    func pipelining() throws {
        var connection = HTTPServerConnection(limits: Self.limits)
        let request = wire("GET /1 HTTP/1.1\nHost: h\n\n")
        #expect(try connection.events(after: request).count == 2)
        let isPausedEarly = connection.shouldPauseReading
        #expect(!isPausedEarly)
        for _ in 0..<4 { #expect(try connection.events(after: request).isEmpty) }
        let isPaused = connection.shouldPauseReading
        #expect(isPaused)
        _ = connection.send(HTTPResponseHead(.ok))
        let events = try connection.events(after: [])
        #expect(events.count == 2)
        let isStillPaused = connection.shouldPauseReading
        #expect(!isStillPaused)
    }
}
