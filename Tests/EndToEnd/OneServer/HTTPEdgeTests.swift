// HTTP edge cases over real sockets: malformed requests, methods, conditional requests and ranges.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    /// Sends bytes, and reads until the server closes.
    private func exchange(_ text: String) throws -> String {
        let deadline = Deadline(.seconds(30))
        let socket = try BlockingSocket(port: try SharedServer.server().port)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try socket.send(Array(lines.joined(separator: "\r\n").utf8), deadline)
        var received: [UInt8] = []
        while true {
            let bytes = try socket.receive(deadline)
            guard !bytes.isEmpty else { return String(decoding: received, as: UTF8.self) }
            received += bytes
        }
    }

    private func call(
        _ method: HTTPMethod,
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> HTTPAnswer {
        let port = try SharedServer.server().port
        return try HTTPCall.send(method, target, port: port, headers: headers)
    }

    @Test(
        "an ambiguous request is refused, and the connection closed",
        arguments: [
            ("POST / HTTP/1.1\nHost: h\nContent-Length: 5\nTransfer-Encoding: chunked\n\n", 400),
            ("POST / HTTP/1.1\nHost: h\nContent-Length: 5\nContent-Length: 5\n\nhello", 400),
            ("POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n0\n\n", 400),
            ("POST / HTTP/1.1\nHost: h\nTransfer-Encoding: gzip, chunked\n\n", 501),
            ("POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\nfffffffffffffffff\n", 400),
            ("POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n5\nhelloX\n", 400),
            ("GET / HTTP/1.1\nHost: h\nA: b\n folded\n\n", 400),
            ("GET / HTTP/1.1\nHost : h\n\n", 400),
            ("GET / HTTP/1.1\n\n", 400),
            ("GET / HTTP/1.1\nHost: a\nHost: b\n\n", 400),
            ("GET / HTTP/1.1\nHost: a:80:80\n\n", 400),
            ("GET / HTTP/3.0\nHost: h\n\n", 505),
            ("CONNECT h:443 HTTP/1.1\nHost: h\n\n", 501),
            ("GET / HTTP/1.1\nHost: h\nExpect: 200-ok\n\n", 417),
            ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\nHost: h\n\n", 414),
            ("GET / HTTP/1.1\nHost: h\nA: \(String(repeating: "a", count: 40_000))\n\n", 431),
            ("POST /api/v1/session HTTP/1.1\nHost: h\nContent-Length: 65537\n\n", 413),
        ] as [(String, Int)]
    )
    func refusals(request: String, status: Int) throws {
        // Whatever follows is never answered.
        let answer = try exchange(request + "GET /healthz HTTP/1.1\nHost: h\n\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains("\r\nDate: "))
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
    }

    @Test("absolute targets are handled like others, and OPTIONS * lists the server's methods")
    func targets() throws {
        let closing = "Connection: close\n\n"
        let absolute = try exchange("GET http://h/healthz HTTP/1.1\nHost: other\n\(closing)")
        #expect(absolute.hasPrefix("HTTP/1.1 200 OK\r\n") && absolute.hasSuffix("ok\n"))
        let whole = try exchange("OPTIONS * HTTP/1.1\nHost: h\n\(closing)")
        #expect(whole.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(whole.contains("\r\nAllow: GET, HEAD, POST, DELETE, OPTIONS\r\n"))
    }

    @Test("OPTIONS and 405 list the methods of a path; an unknown method is 501")
    func methods() throws {
        for (target, allowed) in [
            ("/", "GET, HEAD, OPTIONS"), ("/healthz", "GET, HEAD, OPTIONS"),
            ("/api/v1/session", "GET, HEAD, POST, DELETE, OPTIONS"),
            ("/api/v1/sign-up", "POST, OPTIONS"),
        ] {
            let options = try call(.options, target)
            #expect(options.status == 204 && options.head.headers[.allow] == allowed, "\(target)")
            let put = try call(.put, target)
            #expect(put.status == 405 && put.head.headers[.allow] == allowed, "\(target)")
            let brew = try call(#require(HTTPMethod("BREW")), target)
            #expect(brew.status == 501, "\(target)")
        }
        #expect(try call(.options, "/api/v1/nothing").status == 404)
    }

    @Test(
        "HEAD gets the headers of GET, and no body",
        arguments: [
            "/", "/nothing", "/healthz", "/readyz", "/api/v1/session", "/api/v1/openid/start",
        ]
    )
    func headRequests(target: String) throws {
        let get = try call(.get, target)
        let head = try call(.head, target)
        func fields(_ answer: HTTPAnswer) -> [String] {
            answer.head.headers.fields.filter { $0.name != .date }.map { "\($0.name): \($0.value)" }
        }
        #expect(head.status == get.status)
        #expect(fields(head) == fields(get))
        #expect(head.body.isEmpty && !get.body.isEmpty)
        #expect(head.head.headers[.contentLength] == "\(get.body.count)")
    }

    @Test("a file is sent again only if it has changed")
    func conditions() throws {
        let file = try call(.get, "/")
        let tag = try #require(file.head.headers[.eTag])
        let date = try #require(file.head.headers[.lastModified])
        for headers: HTTPHeaders in [[.ifNoneMatch: tag], [.ifModifiedSince: date]] {
            let known = try call(.get, "/", headers: headers)
            #expect(known.status == 304 && known.body.isEmpty)
            #expect(known.head.headers[.eTag] == tag)
            #expect(known.head.headers[.cacheControl] == file.head.headers[.cacheControl])
            #expect(!known.head.headers.contains(.contentType))
            #expect(!known.head.headers.contains(.acceptRanges))
        }
        #expect(try call(.get, "/", headers: [.ifNoneMatch: "\"other\""]).status == 200)
        #expect(try call(.get, "/", headers: [.ifMatch: "\"other\""]).status == 412)
        let old = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try call(.get, "/", headers: [.ifModifiedSince: old]).status == 200)
        #expect(try call(.get, "/", headers: [.ifUnmodifiedSince: old]).status == 412)
    }

    @Test("ranges of a file make up the file")
    func ranges() throws {
        let file = try call(.get, "/")
        let size = file.body.count
        #expect(file.head.headers[.acceptRanges] == "bytes")
        var body: [UInt8] = []
        for (range, told) in [
            ("bytes=0-9", "bytes 0-9/\(size)"), ("bytes=10-99", "bytes 10-99/\(size)"),
            ("bytes=-\(size - 100)", "bytes 100-\(size - 1)/\(size)"),
        ] {
            let part = try call(.get, "/", headers: [.range: range])
            #expect(part.status == 206 && part.head.headers[.contentRange] == told)
            body += part.body
        }
        #expect(body == file.body)
        let beyond = try call(.get, "/", headers: [.range: "bytes=\(size)-"])
        #expect(beyond.status == 416 && beyond.head.headers[.contentRange] == "bytes */\(size)")
        let tag = try #require(file.head.headers[.eTag])
        let same = try call(.get, "/", headers: [.range: "bytes=0-9", .ifRange: tag])
        #expect(same.status == 206)
        let changed = try call(.get, "/", headers: [.range: "bytes=0-9", .ifRange: "\"other\""])
        #expect(changed.status == 200 && changed.body == file.body)
        #expect(try call(.get, "/", headers: [.range: "bytes=0-1,4-5"]).body == file.body)
        #expect(try call(.head, "/", headers: [.range: "bytes=0-9"]).status == 200)
    }

    @Test("a user who may not import gets the error before the file is sent")
    func earlyRefusal() throws {
        let answer = try exchange(
            "POST /api/v1/import HTTP/1.1\nHost: h\nExpect: 100-continue\nContent-Length: 9\n\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 401 "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
    }

    @Test("a client that sends a thousand requests before it reads gets a thousand responses")
    func pipelining() throws {
        let request = "GET / HTTP/1.1\nHost: h\n\n"
        let last = "GET / HTTP/1.1\nHost: h\nConnection: close\n\n"
        let answers = try exchange(String(repeating: request, count: 999) + last)
        let closing = "Connection: close\r\n".utf8.count
        let one = try exchange(last).utf8.count
        #expect(answers.utf8.count == 1000 * one - 999 * closing)
    }
}
