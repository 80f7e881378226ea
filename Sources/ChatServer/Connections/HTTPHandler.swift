// A connection that speaks HTTP/1.1: requests into routes, one after the other, until it closes or
// becomes a WebSocket.

import ChatProtocol
import ChatStore
import EventLoop
import Gateway
import HTTPProtocol
import Logging
import Networking
import WebSocketProtocol

/// The HTTP side of a connection.
final class HTTPHandler: StreamHandler, Server.Connection {
    /// How long a client may take to send a request, and how long it may send none.
    private static let requestDeadline: Duration = .seconds(30)
    private static let idleDeadline: Duration = .seconds(75)
    /// How much of what waits for it a reader has to take within `requestDeadline` to be waited for. The
    /// slowest networks carry more; without a floor, who takes a byte now and then would hold a response for
    /// ever. What all may hold together has a bound of its own.
    private static let takenBytesMin = 32 << 10
    /// How long a client that has just come may take to ask, once the server is shutting down.
    private static let lastRequestDeadline: Duration = .seconds(1)

    private let server: Server
    private let router: Router
    private let stream: ByteStream
    /// For log lines.
    private let number: Int
    private var requestCount: Int64 = 0
    private var http = HTTPServerConnection(limits: HTTPLimits(bodyBytesMax: 64 << 10))
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// Whom the WebSocket is for that this connection becomes.
    private var upgrade: WebSocketClient?
    /// The compression that was agreed on for that WebSocket.
    private var compression: PerMessageDeflate?
    private var deadline: TimerToken?
    /// How much waited for the reader when that began.
    private var untaken = 0
    /// Whether the client has sent nothing at all yet.
    private var isNew = true
    /// What of a response's body waits for a slow reader.
    private var unsent: ArraySlice<UInt8> = []
    /// The body that is read while it arrives.
    private var upload: UploadedBody?
    /// Who waits until a slow reader has taken more.
    private var room: LoopPromise<Void, Never>?

    init(_ stream: ByteStream, server: Server, router: Router) {
        self.server = server
        self.router = router
        self.stream = stream
        number = server.numberConnection()
        server.add(self)
        expect(within: Self.requestDeadline)
    }

    var peer: String? { stream.peer.host }

    var queuedByteCount: Int { stream.queuedByteCount + unsent.count }

    var bufferedByteCount: Int {
        queuedByteCount + body.count + http.bufferedByteCount + (upload?.byteCount ?? 0)
    }

    func cutOff() { stream.close() }

    /// The latest request, for log lines.
    private var requestID: RequestID { RequestID(connection: number, number: requestCount) }

    /// Whether a response is due, or a first request may be on its way.
    var isAwaited: Bool { stream.isOpen && !http.shouldClose && (isNew || head != nil) }

    // MARK: StreamHandler

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        isNew = false
        if http.isIdle { expect(within: Self.requestDeadline) }
        http.receive(bytes)
        advance()
        if http.shouldPauseReading { stream.pauseReading() }
    }

    func streamReceivedEnd(_ stream: ByteStream) {
        http.receiveEnd()
        advance()
    }

    func streamDrained(_ stream: ByteStream) {
        if !unsent.isEmpty { sendBody() }
        makeRoom()
        stream.resumeReading()
        advance()
    }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        if case .writeQueueFull? = error { server.metrics.overflowCountOfHTTP += 1 }
        deadline?.cancel()
        upload?.fail()
        makeRoom()
        server.remove(self)
    }

    func drain() {
        // The request of who has just come may be on its way.
        http.drain(waitsForRequest: isNew)
        if isNew { expect(within: Self.lastRequestDeadline) }
        if http.shouldClose { stream.closeAfterFlush() }
    }

    // MARK: Requests

    /// Takes what has come, but for a client that does not read its responses: who sends requests on
    /// and on would have them pile up.
    private func advance() {
        do {
            while !stream.isAboveHighMark, let event = try http.nextEvent() { handle(event) }
        } catch {
            refuse(error)
            return
        }
        if http.shouldClose { closeWhenTaken() }
    }

    /// Closes after the last response. Who has much of it still to take has the time that it had for
    /// those before: the stream alone would give it seconds.
    private func closeWhenTaken() {
        guard stream.queuedByteCount >= Self.takenBytesMin else { return stream.closeAfterFlush() }
        stream.finishWriting()
    }

    private func refuse(_ error: HTTPError) {
        deadline?.cancel()
        var headers = HTTPHeaders()
        complete(&headers)
        let bytes = http.sendError(error, headers: headers)
        if !bytes.isEmpty { server.metrics.requests.answered(status: error.status.code) }
        stream.write(bytes)
        stream.closeAfterFlush()
        upload?.fail()
        makeRoom()
    }

    private func handle(_ event: HTTPServerEvent) {
        switch event {
        case .request(let head):
            requestCount += 1
            self.head = head
            body = []
            if Router.takesUpload(head) {
                beginUpload(head)
            } else {
                stream.write(http.sendContinue())
            }
        case .body(let bytes):
            guard let upload else { return body.append(contentsOf: bytes) }
            upload.append(bytes)
            // While nobody takes what came, no more can come.
            if upload.isFull { pauseUpload() } else { expect(within: Self.requestDeadline) }
        case .end:
            if let upload {
                deadline?.cancel()
                return upload.finish()
            }
            guard let head else { return }
            // The request is here; what takes time now is ours.
            deadline?.cancel()
            let request = Request(id: requestID, head: head, body: body, peer: peer)
            server.loop.spawn { [self] in finish(await router.answer(request)) }
        case .upgrade(let remaining):
            becomeWebSocket(remaining)
        }
    }

    /// Adds what every response has, also one to what is no request.
    private func complete(_ headers: inout HTTPHeaders) {
        headers[.date] = HTTPDate.format(
            secondsSince1970: Int(Timestamp.now.milliseconds / 1000)
        )
        // In each response (RFC 6797, section 7.1): a browser may see no other.
        if let policy = server.settings.strictTransportSecurity {
            headers.add("Strict-Transport-Security", policy)
        }
    }

    /// A complete head, about to be sent and counted as that.
    private func completed(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        complete(&head.headers)
        server.metrics.requests.answered(status: head.status.code)
        return head
    }

    private func finish(_ outcome: Outcome) {
        guard stream.isOpen, !http.shouldClose else { return }
        switch outcome {
        case .response(let response):
            let head = completed(response.head)
            stream.write(http.send(head, length: .exactly(response.body.count)))
            unsent = response.body[...]
            sendBody()
        case .stream(let head, let next):
            let isToHead = self.head?.method == .head
            stream.write(http.send(completed(head), length: .unknown))
            guard !isToHead else {
                stream.write(http.sendEnd())
                return endResponse()
            }
            server.loop.spawn { [self] in await sendPieces(next) }
        case .webSocket(let client):
            answerHandshake(client)
            endResponse()
        }
    }

    /// Sends a body piece by piece, no faster than its reader takes it.
    private func sendPieces(_ next: () async throws -> [UInt8]?) async {
        do {
            while let bytes = try await next() {
                var rest = bytes[...]
                while !rest.isEmpty {
                    guard stream.isOpen, !http.shouldClose else { return }
                    let piece = rest.prefix(64 << 10)
                    rest = rest.dropFirst(piece.count)
                    stream.write(http.sendBody(Array(piece)))
                    if stream.isAboveHighMark { await waitForRoom() }
                }
            }
        } catch {
            server.logger.info(
                "response aborted",
                metadata: ["request": "\(requestID)", "error": "\(error)"]
            )
            return stream.close()
        }
        guard stream.isOpen, !http.shouldClose else { return }
        stream.write(http.sendEnd())
        endResponse()
    }

    private func waitForRoom() async {
        expect(within: Self.requestDeadline)
        let room = LoopPromise<Void, Never>(server.loop)
        self.room = room
        await room.value { [weak self] in self?.makeRoom() }
        deadline?.cancel()
    }

    private func makeRoom() {
        room?.succeed(())
        room = nil
    }

    // MARK: Uploads

    /// Answers a request whose body is still to come.
    private func beginUpload(_ head: HTTPRequestHead) {
        let upload = UploadedBody(loop: server.loop)
        self.upload = upload
        http.bodyBytesMax = server.settings.importBytes
        upload.onNeed = { [weak self] in
            guard let self else { return }
            self.stream.write(self.http.sendContinue())
        }
        upload.onRoom = { [weak self, weak upload] in
            guard let self, let upload, !upload.isComplete else { return }
            self.expect(within: Self.requestDeadline)
            self.stream.resumeReading()
        }
        expect(within: Self.requestDeadline)
        server.loop.spawn { [self] in
            var outcome = await router.answer(
                Request(id: requestID, head: head, body: [], peer: peer, upload: upload)
            )
            // What still comes of a body that is refused is not read.
            if !upload.isComplete, case .response(var response) = outcome {
                response.head.headers[.connection] = "close"
                outcome = .response(response)
            }
            self.upload = nil
            finish(outcome)
        }
    }

    private func pauseUpload() {
        deadline?.cancel()
        stream.pauseReading()
    }

    /// Sends as much of the body as the reader takes; the rest follows when it has.
    private func sendBody() {
        while !unsent.isEmpty, !stream.isAboveHighMark {
            let piece = unsent.prefix(64 << 10)
            unsent = unsent.dropFirst(piece.count)
            stream.write(http.sendBody(Array(piece)))
        }
        guard unsent.isEmpty else {
            expect(within: Self.requestDeadline)
            return
        }
        stream.write(http.sendEnd())
        endResponse()
    }

    private func endResponse() {
        head = nil
        body = []
        stream.resumeReading()
        // A part of the next request may be here already: it has to become whole in time, too.
        expect(within: http.isIdle ? Self.idleDeadline : Self.requestDeadline)
        advance()
    }

    private func expect(within duration: Duration) {
        deadline?.cancel()
        deadline = server.loop.schedule(after: duration) { [weak self] in self?.deadlinePassed() }
        // The system is asked only for those who have much to take, not after every response.
        let hasMuch = stream.queuedByteCount >= Self.takenBytesMin
        untaken = hasMuch ? stream.untakenByteCount : 0
    }

    private func deadlinePassed() {
        let left = stream.untakenByteCount
        if left > 0, untaken - left >= Self.takenBytesMin {
            // Slow, but not gone.
            expect(within: Self.requestDeadline)
        } else if http.isIdle {
            stream.closeAfterFlush()
        } else {
            refuse(.timeout)
        }
    }

    // MARK: Upgrade

    private func answerHandshake(_ client: WebSocketClient) {
        guard let head else { return }
        do throws(WebSocketRefusal) {
            let acceptance = try WebSocketHandshake.accept(
                head,
                subprotocols: [subprotocolName],
                compression: server.settings.webSocketCompression == .on
                    ? FrameCompression.chatSettings : nil
            )
            guard acceptance.subprotocol != nil else { throw .malformed }
            upgrade = client
            compression = acceptance.compression
            send(acceptance.response)
        } catch {
            send(error.response)
        }
    }

    /// Sends a response without a body.
    private func send(_ head: HTTPResponseHead) {
        let head = completed(head)
        let isSwitch = head.status == .switchingProtocols
        stream.write(isSwitch ? http.send(head, length: .exactly(0)) : http.send(head))
    }

    private func becomeWebSocket(_ remaining: [UInt8]) {
        guard let client = upgrade else { return }
        deadline?.cancel()
        server.remove(self)
        let handler = WebSocketHandler(
            stream,
            client: client,
            compression: compression,
            server: server,
            // From here on the client numbers its requests, as it likes.
            connectionNumber: server.numberConnection()
        )
        handler.start(remaining: remaining)
    }
}
