import HTTPProtocol
import TestSupport
import Testing

@Suite("Responses")
struct ResponseTests {
    /// A connection that has received all of `request`.
    private func connection(_ request: String) throws -> HTTPServerConnection {
        var connection = HTTPServerConnection()
        _ = try connection.events(after: wire(request))
        return connection
    }

    private static let get = "GET / HTTP/1.1\nHost: h\n\n"
    private static let head = "HEAD / HTTP/1.1\nHost: h\n\n"
    private static let old = "GET / HTTP/1.0\n\n"

    @Test("a whole response has its length and keeps the connection")
    func whole() throws {
        var connection = try connection(Self.get)
        let headers: HTTPHeaders = [.contentType: "text/plain", .contentLength: "99"]
        let bytes = connection.send(HTTPResponseHead(.ok, headers: headers), body: [65, 66])
        let expected = "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\n\nAB"
        #expect(bytes == wire(expected))
        let isIdle = connection.isIdle
        #expect(isIdle)
    }

    @Test("a body of unknown length is sent in chunks, and empty pieces don't end it")
    func chunked() throws {
        var connection = try connection(Self.get)
        var bytes = connection.send(HTTPResponseHead(.ok), length: .unknown)
        bytes += connection.sendBody(Array("hello, world!!!!".utf8))
        bytes += connection.sendBody([])
        bytes += connection.sendBody([33])
        bytes += connection.sendEnd()
        let expected =
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n10\nhello, world!!!!\n1\n!\n0\n\n"
        #expect(bytes == wire(expected))
        let isIdle = connection.isIdle
        #expect(isIdle)
    }

    @Test("HEAD gets the fields of GET and no body")
    func headRequests() throws {
        var known = try connection(Self.head)
        let whole = known.send(HTTPResponseHead(.ok), body: [1, 2, 3])
        #expect(whole == wire("HTTP/1.1 200 OK\nContent-Length: 3\n\n"))
        var unknown = try connection(Self.head)
        var bytes = unknown.send(HTTPResponseHead(.ok), length: .unknown)
        bytes += unknown.sendBody([1]) + unknown.sendEnd()
        #expect(bytes == wire("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"))
        let isIdle = unknown.isIdle
        #expect(isIdle)
    }

    @Test("204 and 304 have neither body nor length", arguments: [204, 304])
    func bodiless(_ code: Int) throws {
        var connection = try connection(Self.get)
        let status = HTTPStatus(code)
        let bytes = connection.send(HTTPResponseHead(status), body: [1])
        #expect(bytes == wire("HTTP/1.1 \(status)\n\n"))
        let isIdle = connection.isIdle
        #expect(isIdle)
    }

    @Test("HTTP/1.0 gets no chunks: the end of the connection ends the body")
    func oldClients() throws {
        var connection = try connection(Self.old)
        var bytes = connection.send(HTTPResponseHead(.ok), length: .unknown)
        bytes += connection.sendBody([65]) + connection.sendEnd()
        #expect(bytes == wire("HTTP/1.1 200 OK\nConnection: close\n\nA"))
        let shouldClose = connection.shouldClose
        #expect(shouldClose)
    }

    @Test("an HTTP/1.0 client gets keep-alive if its connection stays open")
    func oldKeepAlive() throws {
        var connection = try connection("GET / HTTP/1.0\nConnection: keep-alive\n\n")
        let bytes = connection.send(HTTPResponseHead(.ok), body: [65])
        let expected = "HTTP/1.1 200 OK\nContent-Length: 1\nConnection: keep-alive\n\nA"
        #expect(bytes == wire(expected))
    }

    @Test("either side may ask to close")
    func closing() throws {
        var asked = try connection("GET / HTTP/1.1\nHost: h\nConnection: x, Close\n\n")
        let bytes = asked.send(HTTPResponseHead(.ok))
        #expect(bytes == wire("HTTP/1.1 200 OK\nContent-Length: 0\nConnection: close\n\n"))
        let wasAsked = asked.shouldClose
        #expect(wasAsked)
        var telling = try connection(Self.get)
        _ = telling.send(HTTPResponseHead(.ok, headers: [.connection: "close"]))
        let tells = telling.shouldClose
        #expect(tells)
    }

    @Test(
        "a response that closes keeps its other connection options",
        arguments: [
            ("Upgrade", "Upgrade, close"), ("Upgrade, close", "Upgrade, close"),
            ("Close", "close"), ("keep-alive, x", "x, close"),
        ]
    )
    func connectionOptions(_ given: String, _ sent: String) throws {
        var closing = try connection("GET / HTTP/1.1\nHost: h\nConnection: close\n\n")
        let headers: HTTPHeaders = [.upgrade: "websocket", .connection: given]
        let bytes = closing.send(HTTPResponseHead(.upgradeRequired, headers: headers))
        let expected =
            "HTTP/1.1 426 Upgrade Required\nUpgrade: websocket\nContent-Length: 0\n"
            + "Connection: \(sent)\n\n"
        #expect(bytes == wire(expected))
    }

    @Test("a connection that stays open keeps its options, with keep-alive added for HTTP/1.0")
    func stayingOptions() throws {
        let headers: HTTPHeaders = [.upgrade: "websocket", .connection: "Upgrade"]
        let head = HTTPResponseHead(.upgradeRequired, headers: headers)
        var staying = try connection(Self.get)
        let stays = text(staying.send(head))
        #expect(stays.contains("\r\nConnection: Upgrade\r\n"))
        var old = try connection("GET / HTTP/1.0\nConnection: keep-alive\n\n")
        let staysToo = text(old.send(head))
        #expect(staysToo.contains("\r\nConnection: Upgrade, keep-alive\r\n"))
    }

    @Test("a body that is too short closes the connection, one that is too long is cut")
    func wrongLengths() throws {
        var short = try connection(Self.get)
        _ = short.send(HTTPResponseHead(.ok), length: .exactly(3))
        #expect(short.sendBody([1, 2]) == [1, 2])
        #expect(short.sendEnd() == [])
        let closes = short.shouldClose
        #expect(closes)
        var long = try connection(Self.get)
        _ = long.send(HTTPResponseHead(.ok), length: .exactly(3))
        #expect(long.sendBody([1, 2]) + long.sendBody([3, 4]) == [1, 2, 3])
        _ = long.sendEnd()
        let isIdle = long.isIdle
        #expect(isIdle)
    }

    @Test(
        "after a response before the end of its request the rest is discarded",
        arguments: Delivery.all
    )
    func earlyResponse(_ delivery: Delivery) throws {
        var connection = HTTPServerConnection()
        let head = wire("POST /1 HTTP/1.1\nHost: h\nContent-Length: 8\n\n")
        #expect(try connection.events(after: head).count == 1)
        #expect(!connection.send(HTTPResponseHead(.forbidden)).isEmpty)
        var events: [HTTPServerEvent] = []
        for piece in delivery.pieces(of: Array("rest....".utf8) + wire(Self.get)) {
            events += try connection.events(after: piece)
        }
        #expect(events.count == 2 && events.last == .end)
    }

    @Test("100 Continue is sent once, if the client waits for it")
    func expectContinue() throws {
        var connection = HTTPServerConnection()
        let request = wire("POST / HTTP/1.1\nHost: h\nExpect: 100-continue\nContent-Length: 2\n\n")
        let events = try connection.events(after: request)
        guard case .request(let head)? = events.first else {
            Issue.record("no request")
            return
        }
        #expect(head.expectsContinue)
        #expect(connection.sendContinue() == wire("HTTP/1.1 100 Continue\n\n"))
        #expect(connection.sendContinue() == [])
        #expect(try connection.events(after: [65, 66]) == [.body([65, 66]), .end])
        _ = connection.send(HTTPResponseHead(.ok))
        let isIdle = connection.isIdle
        #expect(isIdle)
    }

    @Test("100 Continue is not sent for a body that is empty, too long, or already sent")
    func needlessContinue() throws {
        let expecting = "POST / HTTP/1.1\nHost: h\nExpect: 100-continue\n"
        func answer(_ rest: String) -> [UInt8] {
            var connection = HTTPServerConnection()
            wire(expecting + rest).withUnsafeBytes { connection.receive($0) }
            _ = try? connection.nextEvent()
            connection.bodyBytesMax = 10
            return connection.sendContinue()
        }
        #expect(answer("Content-Length: 0\n\n") == [])
        #expect(answer("\n") == [])
        #expect(answer("Content-Length: 11\n\n") == [])
        #expect(answer("Content-Length: 10\n\n") == wire("HTTP/1.1 100 Continue\n\n"))
        #expect(answer("Transfer-Encoding: chunked\n\n") == wire("HTTP/1.1 100 Continue\n\n"))
        var sent = try connection(expecting + "Content-Length: 2\n\nAB")
        #expect(sent.sendContinue() == [])
    }

    @Test("a client that still waits for 100 Continue gets the response and is disconnected")
    func refusedContinue() throws {
        let request = "POST / HTTP/1.1\nHost: h\nExpect: 100-continue\nContent-Length: 2\n\n"
        var connection = try connection(request)
        let bytes = connection.send(HTTPResponseHead(.contentTooLarge))
        #expect(text(bytes).contains("Connection: close\r\n"))
        let shouldClose = connection.shouldClose
        #expect(shouldClose)
    }

    @Test("an error gets a response, unless one has started")
    func errors() throws {
        var fresh = HTTPServerConnection()
        #expect(throws: HTTPError.malformedStartLine) { try fresh.events(after: wire("x\n")) }
        let bytes = fresh.sendError(.malformedStartLine)
        #expect(text(bytes).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(text(bytes).hasSuffix("\r\n\r\n400 Bad Request\n"))
        #expect(fresh.sendError(.malformedStartLine) == [])
        var dated = HTTPServerConnection()
        let timeOut = dated.sendError(
            .timeout,
            headers: [.date: "Sun, 06 Nov 1994 08:49:37 GMT"]
        )
        #expect(text(timeOut).contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        var begun = try connection(Self.get)
        _ = begun.send(HTTPResponseHead(.ok), length: .unknown)
        #expect(begun.sendError(.timeout) == [])
        let shouldClose = begun.shouldClose
        #expect(shouldClose)
    }

    @Test(
        "the response to an error in the fields of HEAD has no body",
        arguments: [
            "HEAD / HTTP/1.1\n\n", "HEAD / HTTP/1.1\nHost: h\nbad field\n\n",
            "HEAD / HTTP/1.1\nHost: h\nExpect: wonders\n\n", "HEAD / HTTP/1.1\nHost: h\n",
        ]
    )
    func errorsToHead(_ request: String) {
        var connection = HTTPServerConnection()
        var error = HTTPError.timeout
        do throws(HTTPError) {
            _ = try connection.events(after: wire(request))
        } catch let found {
            error = found
        }
        let answer = text(connection.sendError(error))
        #expect(answer.hasPrefix("HTTP/1.1 \(error.status)\r\n"))
        #expect(answer.contains("\r\nContent-Length: "))
        #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
    }

    @Test("a request after HEAD is not treated as HEAD")
    func afterHead() throws {
        var connection = try connection(Self.head)
        _ = connection.send(HTTPResponseHead(.ok))
        #expect(throws: HTTPError.malformedStartLine) {
            try connection.events(after: wire("x\n"))
        }
        let answer = text(connection.sendError(.malformedStartLine))
        #expect(answer.hasSuffix("\r\n\r\n400 Bad Request\n"))
    }

    @Test("a response after the connection failed is ignored")
    func lateResponse() throws {
        var connection = try connection(Self.get)
        #expect(!connection.sendError(.timeout).isEmpty)
        #expect(connection.send(HTTPResponseHead(.ok), body: [1]) == [])
        #expect(connection.sendBody([1]) == [])
        #expect(connection.sendEnd() == [])
    }

    @Test("a draining connection ends after the pending response")
    func draining() throws {
        var busy = try connection(Self.get)
        busy.drain()
        let bytes = busy.send(HTTPResponseHead(.ok))
        #expect(text(bytes).contains("Connection: close\r\n"))
        var idle = HTTPServerConnection()
        idle.drain()
        let (busyCloses, idleCloses) = (busy.shouldClose, idle.shouldClose)
        #expect(busyCloses && idleCloses)
        var new = HTTPServerConnection()
        new.drain(waitsForRequest: true)
        #expect(try new.events(after: wire(Self.get)).count == 2)
        let last = new.send(HTTPResponseHead(.ok))
        #expect(text(last).contains("Connection: close\r\n"))
    }
}
