// The server side of an HTTP/1.1 connection, without I/O and clock: received bytes and responses
// in, events and bytes to send out.
//
// Theory of operation. Two state machines run independently: `reading` for the request,
// `responding` for its response, which may start as soon as the head is known and may end before
// the body has arrived. When both have finished, both start over, or end if one side wants to
// close. Until then bytes of a later request stay in `input`, so that events and responses never
// interleave.

/// A server's connection to one client. Responses are sent in the order of the requests.
public struct HTTPServerConnection: ~Copyable {
    private enum Reading {
        case startLine(mayBeEmpty: Bool)
        case fields(RequestLine, HeaderSection)
        case body(BodyReader)
        /// The request is complete, its response is not.
        case complete
        case upgraded
        /// No more requests are read.
        case ended
        case failed(HTTPError)
    }

    private enum Responding {
        /// There is no request to respond to.
        case idle
        /// A request is waiting for its response's head.
        case due(ResponseContext)
        case body(BodyWriter)
        /// The response is complete, the request's body is not.
        case done
        /// 101 was sent.
        case switching
    }

    /// Maximum body size of the current request in bytes. Each request starts with
    /// `HTTPLimits.bodyBytesMax`; a route with another limit sets it on `.request`, before it asks
    /// for the next event.
    public var bodyBytesMax: Int

    private let limits: HTTPLimits
    private var input = InputBuffer()
    private var reading = Reading.startLine(mayBeEmpty: true)
    private var responding = Responding.idle
    /// Whether the last request line was HEAD: then an error in its fields has no body either.
    private var isToHead = false
    private var keepsAlive = true
    private var isDraining = false
    private var owesContinue = false
    private var peerHasFinished = false

    /// Creates a connection.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.bodyBytesMax = limits.bodyBytesMax
    }

    // MARK: State for the caller

    /// Whether to close after all returned bytes have been sent.
    public var shouldClose: Bool {
        switch reading {
        case .ended, .failed: true
        default: false
        }
    }

    /// Whether to stop reading from the socket until the pending response has been sent: the client
    /// has sent more than `HTTPLimits.pipelinedBytesMax` ahead.
    public var shouldPauseReading: Bool { input.count >= limits.pipelinedBytesMax }

    /// Whether no part of a request has arrived and no response is pending. Closing an idle
    /// connection loses nothing, and a timeout needs no response.
    public var isIdle: Bool {
        if case (.startLine, .idle) = (reading, responding) { input.isEmpty } else { false }
    }

    /// The number of received bytes that no event has returned yet.
    public var bufferedByteCount: Int { input.count }

    // MARK: Receiving

    /// Receives bytes from the client. Call `nextEvent` afterwards until it returns nil.
    /// - Precondition: the connection was not upgraded.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        switch reading {
        case .upgraded: preconditionFailure("the connection belongs to another protocol")
        case .ended, .failed: break
        default: input.append(bytes)
        }
    }

    /// The client has closed its side. Call `nextEvent` afterwards.
    public mutating func receiveEnd() { peerHasFinished = true }

    /// The next event, or nil if more bytes are needed or a response has to be sent first. Call it
    /// after each `receive` and each finished response, since the next request may already be
    /// buffered.
    /// - Throws: the client's protocol error, again on each later call. Send the bytes of
    ///   `sendError` and close.
    public mutating func nextEvent() throws(HTTPError) -> HTTPServerEvent? {
        do {
            return try advance()
        } catch {
            reading = .failed(error)
            input = InputBuffer()
            throw error
        }
    }

    private mutating func advance() throws(HTTPError) -> HTTPServerEvent? {
        while true {
            switch reading {
            case .startLine(let mayBeEmpty):
                guard try readStartLine(mayBeEmpty: mayBeEmpty) else { return nil }
            case .fields(let line, var section):
                guard let headers = try section.read(from: &input, limits: limits) else {
                    reading = .fields(line, section)
                    return try waitForMore()
                }
                let head = try line.head(with: headers)
                reading = .body(BodyReader(try BodyFraming.ofRequest(head)))
                begin(head)
                guard head.hasKnownExpectation else { throw .unsupportedExpectation }
                return .request(head)
            case .body(var reader):
                let piece = try reader.next(from: &input, bytesMax: bodyBytesMax, limits: limits)
                reading = .body(reader)
                guard let piece else { return try waitForMore() }
                if let event = take(piece) { return event }
            case .complete:
                guard case .switching = responding else { return nil }
                reading = .upgraded
                return .upgrade(remaining: input.takeAll())
            case .upgraded, .ended:
                return nil
            case .failed(let error):
                throw error
            }
        }
    }

    /// Reads the request line; false if it is incomplete.
    private mutating func readStartLine(mayBeEmpty: Bool) throws(HTTPError) -> Bool {
        let line = try input.takeLine(max: limits.startLineBytesMax) {
            (line) throws(HTTPError) in
            // One empty line before a request is ignored (RFC 9112 section 2.2).
            line.isEmpty && mayBeEmpty ? nil : try RequestLine(line)
        }
        switch line {
        case .line(nil):
            reading = .startLine(mayBeEmpty: false)
            return true
        case .line(let requestLine?):
            isToHead = requestLine.method == .head
            reading = .fields(requestLine, HeaderSection())
            return true
        case .incomplete:
            if peerHasFinished, input.isEmpty {
                reading = .ended
            } else {
                _ = try waitForMore()
            }
            return false
        case .tooLong: throw .startLineTooLong
        case .malformed: throw .malformedStartLine
        }
    }

    private mutating func begin(_ head: HTTPRequestHead) {
        keepsAlive = head.wantsKeepAlive && !isDraining
        owesContinue = head.expectsContinue
        bodyBytesMax = limits.bodyBytesMax
        responding = .due(
            ResponseContext(
                isToHead: isToHead,
                version: head.version,
                keepsAlive: keepsAlive
            )
        )
    }

    /// The event for a piece of the body; nil if the response is complete.
    private mutating func take(_ piece: BodyReader.Piece) -> HTTPServerEvent? {
        owesContinue = false
        let isAnswered = if case .done = responding { true } else { false }
        switch piece {
        case .bytes(let bytes):
            return isAnswered ? nil : .body(bytes)
        case .end:
            reading = .complete
            if isAnswered { startOver() }
            return isAnswered ? nil : .end
        }
    }

    private func waitForMore() throws(HTTPError) -> HTTPServerEvent? {
        if peerHasFinished { throw .truncated }
        return nil
    }

    /// Request and response are complete.
    private mutating func startOver() {
        responding = .idle
        isToHead = false
        if keepsAlive && !isDraining {
            reading = .startLine(mayBeEmpty: true)
        } else {
            reading = .ended
            input = InputBuffer()
        }
    }

    // MARK: Sending

    /// Encodes a whole response, with the fields `added` to it. The body is left out for HEAD and if
    /// the status has none.
    ///
    /// Returns nothing if the connection has failed, so that a route need not check; so do the
    /// other `send` functions.
    /// - Precondition: a request is waiting for its response; the status is not 100.
    public mutating func send(
        _ response: HTTPResponseHead,
        adding added: EncodedFields = .none,
        body: [UInt8] = []
    ) -> [UInt8] {
        var bytes = sendHead(response, added, .exactly(body.count), bodyByteCount: body.count)
        guard case .body = responding else { return bytes }
        bytes.append(contentsOf: sendBody(body))
        bytes.append(contentsOf: sendEnd())
        return bytes
    }

    /// Encodes a response's head, with the fields `added` to it; its body follows with `sendBody`
    /// and `sendEnd`. After 101 the event `.upgrade` follows instead.
    /// - Precondition: a request is waiting for its response; the status is not 100.
    public mutating func send(
        _ response: HTTPResponseHead,
        adding added: EncodedFields = .none,
        length: HTTPBodyLength
    ) -> [UInt8] {
        sendHead(response, added, length, bodyByteCount: 0)
    }

    /// Encodes a head, in an array with room for `bodyByteCount` bytes more.
    private mutating func sendHead(
        _ response: HTTPResponseHead,
        _ added: EncodedFields,
        _ length: HTTPBodyLength,
        bodyByteCount: Int
    ) -> [UInt8] {
        guard case .due(var context) = responding, !shouldClose else {
            precondition(shouldClose, "no request is waiting for a response")
            return []
        }
        let isSwitch = response.status == .switchingProtocols
        precondition(isSwitch || !response.status.isInformational, "1xx is not a final response")
        // A client that waits for 100 Continue may or may not send its body now, so the start of
        // the next request is unknown (RFC 9110 section 10.1.1).
        context.keepsAlive = keepsAlive && !isDraining && !owesContinue
        let encoded = EncodedResponse(
            response,
            adding: added,
            length: length,
            in: context,
            bodyByteCount: bodyByteCount
        )
        keepsAlive = encoded.keepsAlive
        responding = isSwitch ? .switching : .body(encoded.body)
        return encoded.bytes
    }

    /// Encodes the next bytes of the response's body. Bytes beyond the announced length are
    /// dropped.
    /// - Precondition: after a response's head and before its end.
    public mutating func sendBody(_ bytes: [UInt8]) -> [UInt8] {
        guard case .body(var writer) = responding, !shouldClose else {
            precondition(shouldClose, "no response has started")
            return []
        }
        let encoded = writer.write(bytes)
        responding = .body(writer)
        return encoded
    }

    /// Encodes the end of the response's body. If the body is shorter than announced, the
    /// connection closes, so that the client notices.
    /// - Precondition: after a response's head and before its end.
    public mutating func sendEnd() -> [UInt8] {
        guard case .body(let writer) = responding, !shouldClose else {
            precondition(shouldClose, "no response has started")
            return []
        }
        let end = writer.end()
        keepsAlive = keepsAlive && end.isComplete
        responding = .done
        // If the connection will close, the rest of the request need not be read.
        if case .complete = reading { startOver() } else if !keepsAlive { startOver() }
        return end.bytes
    }

    /// "100 Continue" if the client waits for it before it sends its body; otherwise nothing, also
    /// if the body is empty or known to be longer than `bodyBytesMax`.
    public mutating func sendContinue() -> [UInt8] {
        guard owesContinue, case .due = responding, case .body(let reader) = reading,
            reader.expectsMore(bytesMax: bodyBytesMax)
        else { return [] }
        owesContinue = false
        return Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    /// The response to an error of `nextEvent` or a timeout; close the connection after it. Empty
    /// if another response has started: then only close.
    /// - Parameters:
    ///   - error: the error.
    ///   - headers: additional fields, such as `Date`.
    /// - Returns: the bytes to send.
    public mutating func sendError(
        _ error: HTTPError,
        headers: HTTPHeaders = HTTPHeaders()
    ) -> [UInt8] {
        switch reading {
        case .ended, .upgraded: return []
        default: reading = .failed(error)
        }
        input = InputBuffer()
        switch responding {
        case .idle, .due: break
        case .body, .done, .switching: return []
        }
        let context = ResponseContext(isToHead: isToHead, version: .http11, keepsAlive: false)
        responding = .done
        let text = Array("\(error.status)\n".utf8)
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        var encoded = EncodedResponse(
            HTTPResponseHead(error.status, headers: headers),
            length: .exactly(text.count),
            in: context
        )
        encoded.bytes.append(contentsOf: encoded.body.write(text))
        return encoded.bytes
    }

    /// Makes the current response the last one, for shutdown. An idle connection ends at once.
    /// - Parameter waitsForRequest: whether an idle connection may receive one more request.
    public mutating func drain(waitsForRequest: Bool = false) {
        isDraining = true
        if isIdle, !waitsForRequest { reading = .ended }
    }
}
