// The server's side of one HTTP/1.1 connection, without the connection: received bytes go in, events
// come out, responses go in, bytes to send come out. It knows no socket and no clock.
//
// Theory of operation. Two halves move on their own: `reading` walks through a request, `responding`
// through its response, which may start as soon as the head is known and may end before the body has
// arrived. When both have finished, both start over, or end where one side wants to close. Bytes of
// a later request wait in `input` until then, so that events and responses never cross.

/// A server's connection to one client: requests one after the other, responses in their order.
public struct HTTPServerConnection: ~Copyable {
    private enum Reading {
        case startLine(mayBeEmpty: Bool)
        case fields(RequestLine, HeaderSection)
        case body(BodyReader)
        /// The request is complete, its response is not.
        case complete
        case upgraded
        /// No request will be read any more.
        case ended
        case failed(HTTPError)
    }

    private enum Responding {
        /// No request is there to respond to.
        case idle
        /// A request waits for its response's head.
        case due(ResponseContext)
        case body(BodyWriter)
        /// The response is complete, the request's body is not.
        case done
        /// 101 was sent.
        case switching
    }

    /// The longest body of the current request. It starts as `HTTPLimits.bodyBytesMax` with each
    /// request; a route that takes more or less sets it when it gets `.request`, before it asks for
    /// the next event.
    public var bodyBytesMax: Int

    private let limits: HTTPLimits
    private var input = InputBuffer()
    private var reading = Reading.startLine(mayBeEmpty: true)
    private var responding = Responding.idle
    /// Whether the request whose line was read last is HEAD: also an error in its fields has no body then.
    private var isToHead = false
    private var keepsAlive = true
    private var isDraining = false
    private var owesContinue = false
    private var peerHasFinished = false

    /// A connection that has received nothing yet.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.bodyBytesMax = limits.bodyBytesMax
    }

    // MARK: What the shell asks

    /// Whether to close once everything that was returned so far has been sent.
    public var shouldClose: Bool {
        switch reading {
        case .ended, .failed: true
        default: false
        }
    }

    /// Whether to stop reading from the socket until the response that is due has been sent: the
    /// client has sent more than `HTTPLimits.pipelinedBytesMax` ahead.
    public var shouldPauseReading: Bool { input.count >= limits.pipelinedBytesMax }

    /// Whether nothing is under way: no part of a request has arrived, no response is due. Closing
    /// now loses nothing; a time-out now needs no answer.
    public var isIdle: Bool {
        if case (.startLine, .idle) = (reading, responding) { input.isEmpty } else { false }
    }

    /// How many bytes have been received and not been handed over.
    public var bufferedByteCount: Int { input.count }

    // MARK: Receiving

    /// Takes bytes that the client has sent. Ask for events afterwards, until there are none.
    /// - Precondition: the connection was not upgraded.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        switch reading {
        case .upgraded: preconditionFailure("the connection belongs to another protocol")
        case .ended, .failed: break
        default: input.append(bytes)
        }
    }

    /// Notes that the client will send nothing more. Ask for events afterwards.
    public mutating func receiveEnd() { peerHasFinished = true }

    /// The next event, or nil where there is none before more is received or sent. Ask after each
    /// `receive` and after each finished response, since the next request may have arrived already.
    /// - Throws: what the client did wrong, again on each further call. Send `sendError`'s bytes
    ///   and close.
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

    /// Reads the request line. False where it has not arrived.
    private mutating func readStartLine(mayBeEmpty: Bool) throws(HTTPError) -> Bool {
        switch input.takeLine(max: limits.startLineBytesMax) {
        case .line(let line):
            // One empty line before a request is forgiven (RFC 9112 section 2.2).
            if line.isEmpty, mayBeEmpty {
                reading = .startLine(mayBeEmpty: false)
            } else {
                let requestLine = try RequestLine(line)
                isToHead = requestLine.method == .head
                reading = .fields(requestLine, HeaderSection())
            }
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

    /// What a piece of the body is to the shell: nothing, where it has its response already.
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

    /// Both halves have finished.
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

    /// The bytes of a whole response. To HEAD, and where the status has none, the body is left out.
    ///
    /// Like its siblings it returns nothing once the connection has failed, so that a route that
    /// was still at work need not know.
    /// - Precondition: a request waits for its response; the status is not 100.
    public mutating func send(_ response: HTTPResponseHead, body: [UInt8] = []) -> [UInt8] {
        var bytes = send(response, length: .exactly(body.count))
        guard case .body = responding else { return bytes }
        bytes.append(contentsOf: sendBody(body))
        bytes.append(contentsOf: sendEnd())
        return bytes
    }

    /// The bytes of a response's head; its body follows by `sendBody` and `sendEnd`. After 101
    /// neither follows, but the event `.upgrade`.
    /// - Precondition: a request waits for its response; the status is not 100.
    public mutating func send(
        _ response: HTTPResponseHead,
        length: HTTPBodyLength
    ) -> [UInt8] {
        guard case .due(var context) = responding, !shouldClose else {
            precondition(shouldClose, "no request waits for a response")
            return []
        }
        let isSwitch = response.status == .switchingProtocols
        precondition(isSwitch || !response.status.isInformational, "1xx is no final response")
        // A client that still waits for 100 Continue may or may not send its body now: where the
        // next request would start can't be known (RFC 9110 section 10.1.1).
        context.keepsAlive = keepsAlive && !isDraining && !owesContinue
        let encoded = EncodedResponse(response, length: length, in: context)
        keepsAlive = encoded.keepsAlive
        responding = isSwitch ? .switching : .body(encoded.body)
        return encoded.bytes
    }

    /// The wire form of the next bytes of the response's body. What goes over the announced length
    /// is cut off.
    /// - Precondition: a response's head was sent and its end was not.
    public mutating func sendBody(_ bytes: [UInt8]) -> [UInt8] {
        guard case .body(var writer) = responding, !shouldClose else {
            precondition(shouldClose, "no response has begun")
            return []
        }
        let encoded = writer.write(bytes)
        responding = .body(writer)
        return encoded
    }

    /// The wire form of the end of the response's body. Where the body fell short of the announced
    /// length, the connection closes: that is how the client learns of it.
    /// - Precondition: a response's head was sent and its end was not.
    public mutating func sendEnd() -> [UInt8] {
        guard case .body(let writer) = responding, !shouldClose else {
            precondition(shouldClose, "no response has begun")
            return []
        }
        let end = writer.end()
        keepsAlive = keepsAlive && end.isComplete
        responding = .done
        // Of a request whose connection will close, the rest need not be read.
        if case .complete = reading { startOver() } else if !keepsAlive { startOver() }
        return end.bytes
    }

    /// "100 Continue", where the client waits for it before it sends its body; otherwise nothing.
    /// Nobody is asked for a body that is empty, or known to be longer than `bodyBytesMax`.
    public mutating func sendContinue() -> [UInt8] {
        guard owesContinue, case .due = responding, case .body(let reader) = reading,
            reader.isWelcome(bytesMax: bodyBytesMax)
        else { return [] }
        owesContinue = false
        return Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    /// The response to what `nextEvent` threw, or to a time-out, after which the connection is to
    /// be closed. Nothing, where another response has begun: closing must do then.
    /// - Parameters:
    ///   - error: what went wrong.
    ///   - headers: what the response has besides, such as `Date` from a server that has a clock.
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

    /// Lets the current response be the last: for a server that is going down. An idle connection
    /// ends at once.
    /// - Parameter waitsForRequest: lets an idle connection have one more request.
    public mutating func drain(waitsForRequest: Bool = false) {
        isDraining = true
        if isIdle, !waitsForRequest { reading = .ended }
    }
}
