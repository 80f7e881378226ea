// The client's side of one HTTP/1.1 connection, the mirror of HTTPServerConnection: requests go in,
// bytes to send come out, received bytes go in, events come out. One request at a time: pipelining
// from a client gains little and breaks on the first server that closes early.

/// A client's connection to one server.
public struct HTTPClientConnection: ~Copyable {
    private enum Reading {
        /// No response is due.
        case idle
        case statusLine
        case fields(StatusLine, HeaderSection)
        case body(BodyReader)
        /// 101 has arrived.
        case switching
        case upgraded
        /// The connection can't be used for another request.
        case ended
        case failed(HTTPError)
    }

    private let limits: HTTPLimits
    private var input = InputBuffer()
    private var reading = Reading.idle
    /// The request's body, while it is being sent.
    private var writer: BodyWriter?
    private var method = HTTPMethod.get
    private var keepsAlive = true
    private var peerHasFinished = false

    /// A connection that has sent nothing yet.
    /// - Parameter limits: bounds of each response; for downloads set `bodyBytesMax` to their size.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Whether a request can be sent now.
    public var isReadyForRequest: Bool {
        if case .idle = reading { writer == nil && keepsAlive && !peerHasFinished } else { false }
    }

    /// Whether to close: no further request can be sent on this connection.
    public var shouldClose: Bool {
        switch reading {
        case .ended, .failed: true
        case .idle: peerHasFinished || !keepsAlive
        default: false
        }
    }

    // MARK: Sending

    /// The bytes of a whole request. `Content-Length` is written where there is a body or the
    /// method usually has one.
    /// - Precondition: `isReadyForRequest`.
    public mutating func send(_ request: HTTPRequestHead, body: [UInt8] = []) -> [UInt8] {
        var bytes = send(request, length: .exactly(body.count))
        bytes.append(contentsOf: sendBody(body))
        bytes.append(contentsOf: sendEnd())
        return bytes
    }

    /// The bytes of a request's head; its body follows by `sendBody` and `sendEnd`.
    /// - Precondition: `isReadyForRequest`.
    public mutating func send(_ request: HTTPRequestHead, length: HTTPBodyLength) -> [UInt8] {
        precondition(isReadyForRequest, "the response before is not complete, or the last")
        var headers = request.headers
        headers.remove(.contentLength)
        headers.remove(.transferEncoding)
        switch length {
        case .exactly(0) where ![.post, .put, .patch].contains(request.method):
            writer = BodyWriter(.length(0))
        case .exactly(let count):
            headers[.contentLength] = "\(count)"
            writer = BodyWriter(.length(count))
        case .unknown:
            headers[.transferEncoding] = "chunked"
            writer = BodyWriter(.chunked)
        }
        method = request.method
        keepsAlive = request.wantsKeepAlive
        reading = .statusLine

        let target = PercentEncoding.encodeTarget(request.target)
        var bytes = Array("\(request.method.name) \(target) HTTP/1.1\r\n".utf8)
        headers.encode(into: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    /// The wire form of the next bytes of the request's body. What goes over the announced length
    /// is cut off; nothing, once the connection is of no more use.
    /// - Precondition: a request's head was sent and its end was not.
    public mutating func sendBody(_ bytes: [UInt8]) -> [UInt8] {
        guard !shouldClose else { return [] }
        precondition(writer != nil, "no request has begun")
        return writer?.write(bytes) ?? []
    }

    /// The wire form of the end of the request's body.
    /// - Precondition: a request's head was sent and its end was not.
    public mutating func sendEnd() -> [UInt8] {
        guard !shouldClose else { return [] }
        precondition(writer != nil, "no request has begun")
        let end = writer?.end()
        writer = nil
        if end?.isComplete == false { keepsAlive = false }
        return end?.bytes ?? []
    }

    // MARK: Receiving

    /// Takes bytes that the server has sent. Ask for events afterwards, until there are none.
    /// - Precondition: the connection was not upgraded.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        switch reading {
        case .upgraded: preconditionFailure("the connection belongs to another protocol")
        case .ended, .failed: break
        case .idle:
            // Nobody asked. Closing is all that can be done with a server that talks unasked.
            if !bytes.isEmpty { reading = .ended }
        default: input.append(bytes)
        }
    }

    /// Notes that the server will send nothing more. Ask for events afterwards: for a response
    /// without a length this is its end.
    public mutating func receiveEnd() { peerHasFinished = true }

    /// The next event, or nil where there is none before more is received or sent.
    /// - Throws: what the server did wrong, again on each further call. Close the connection then.
    public mutating func nextEvent() throws(HTTPError) -> HTTPClientEvent? {
        do {
            return try advance()
        } catch {
            reading = .failed(error)
            input = InputBuffer()
            throw error
        }
    }

    private mutating func advance() throws(HTTPError) -> HTTPClientEvent? {
        while true {
            switch reading {
            case .statusLine:
                switch input.takeLine(max: limits.startLineBytesMax) {
                case .line(let line): reading = .fields(try StatusLine(line), HeaderSection())
                case .incomplete: return try waitForMore()
                case .tooLong: throw .startLineTooLong
                case .malformed: throw .malformedStartLine
                }
            case .fields(let line, var section):
                guard let headers = try section.read(from: &input, limits: limits) else {
                    reading = .fields(line, section)
                    return try waitForMore()
                }
                return try take(line, HTTPResponseHead(line.status, headers: headers))
            case .body(var reader):
                let piece = try reader.next(
                    from: &input,
                    bytesMax: limits.bodyBytesMax,
                    limits: limits
                )
                reading = .body(reader)
                if let piece { return take(piece) }
                if peerHasFinished, reader.endsWithStream { return take(.end) }
                return try waitForMore()
            case .switching:
                reading = .upgraded
                return .upgrade(remaining: input.takeAll())
            case .idle, .upgraded, .ended:
                return nil
            case .failed(let error):
                throw error
            }
        }
    }

    private mutating func take(
        _ line: StatusLine,
        _ head: HTTPResponseHead
    ) throws(HTTPError) -> HTTPClientEvent {
        if head.status == .switchingProtocols {
            reading = .switching
            return .response(head)
        }
        if head.status.isInformational {
            reading = .statusLine
            return .informational(head)
        }
        let tokens = head.headers.tokens(of: .connection)
        let asksToClose = tokens.contains("close")
        let isOld = line.version == .http10 && !tokens.contains("keep-alive")
        if asksToClose || isOld { keepsAlive = false }
        reading = .body(BodyReader(try BodyFraming.ofResponse(head, to: method)))
        return .response(head)
    }

    private mutating func take(_ piece: BodyReader.Piece) -> HTTPClientEvent {
        switch piece {
        case .bytes(let bytes): return .body(bytes)
        case .end:
            // A response before the end of its request means that the server won't read the rest.
            // Bytes after a response that nobody asked for: see `receive`.
            let isUsable = keepsAlive && writer == nil && input.isEmpty && !peerHasFinished
            reading = isUsable ? .idle : .ended
            return .end
        }
    }

    private func waitForMore() throws(HTTPError) -> HTTPClientEvent? {
        if peerHasFinished { throw .truncated }
        return nil
    }
}
