// The client side of an HTTP/1.1 connection, without I/O: requests and received bytes in, bytes to
// send and events out. One request at a time: pipelining gains a client little and fails if the
// server closes early.

/// A client's connection to one server.
public struct HTTPClientConnection: ~Copyable {
    private enum Reading {
        /// No response is expected.
        case idle
        case statusLine
        case fields(StatusLine, HeaderSection)
        case body(BodyReader)
        /// 101 was received.
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

    /// Creates a connection.
    /// - Parameter limits: limits of each response; for downloads set `bodyBytesMax` to their size.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Whether a request can be sent now.
    public var isReadyForRequest: Bool {
        if case .idle = reading { writer == nil && keepsAlive && !peerHasFinished } else { false }
    }

    /// Whether to close: no more requests can be sent on this connection.
    public var shouldClose: Bool {
        switch reading {
        case .ended, .failed: true
        case .idle: peerHasFinished || !keepsAlive
        default: false
        }
    }

    // MARK: Sending

    /// Encodes a whole request. It has `Content-Length` if there is a body or the method usually
    /// has one.
    /// - Precondition: `isReadyForRequest`.
    public mutating func send(_ request: HTTPRequestHead, body: [UInt8] = []) -> [UInt8] {
        var bytes = send(request, length: .exactly(body.count))
        bytes.append(contentsOf: sendBody(body))
        bytes.append(contentsOf: sendEnd())
        return bytes
    }

    /// Encodes a request's head; its body follows with `sendBody` and `sendEnd`.
    /// - Precondition: `isReadyForRequest`.
    public mutating func send(_ request: HTTPRequestHead, length: HTTPBodyLength) -> [UInt8] {
        precondition(isReadyForRequest, "the previous response is incomplete or was the last one")
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

    /// Encodes the next bytes of the request's body. Bytes beyond the announced length are dropped.
    /// Returns nothing if the connection can no longer be used.
    /// - Precondition: after a request's head and before its end.
    public mutating func sendBody(_ bytes: [UInt8]) -> [UInt8] {
        guard !shouldClose else { return [] }
        precondition(writer != nil, "no request has started")
        return writer?.write(bytes) ?? []
    }

    /// Encodes the end of the request's body.
    /// - Precondition: after a request's head and before its end.
    public mutating func sendEnd() -> [UInt8] {
        guard !shouldClose else { return [] }
        precondition(writer != nil, "no request has started")
        let end = writer?.end()
        writer = nil
        if end?.isComplete == false { keepsAlive = false }
        return end?.bytes ?? []
    }

    // MARK: Receiving

    /// Receives bytes from the server. Call `nextEvent` afterwards until it returns nil.
    /// - Precondition: the connection was not upgraded.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        switch reading {
        case .upgraded: preconditionFailure("the connection belongs to another protocol")
        case .ended, .failed: break
        case .idle:
            // A server that sends bytes without a request breaks the protocol: close.
            if !bytes.isEmpty { reading = .ended }
        default: input.append(bytes)
        }
    }

    /// The server has closed its side. Call `nextEvent` afterwards: a response without a length
    /// ends here.
    public mutating func receiveEnd() { peerHasFinished = true }

    /// The next event, or nil if more bytes are needed or a request has to be sent first.
    /// - Throws: the server's protocol error, again on each later call. Close the connection then.
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
            // A server that responds before the end of the request will not read the rest. For
            // bytes after a response see `receive`.
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
