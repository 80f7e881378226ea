// An HTTP/1.1 connection: routes requests one after the other, until it closes or becomes a
// WebSocket.

import ChatProtocol
import ChatStore
import EventLoop
import Gateway
import HTTPProtocol
import Logging
import Networking
import WebSocketProtocol

/// The HTTP handler of a connection.
final class HTTPHandler: StreamHandler, Server.Connection {
    /// How long a client may take to send a request, and how long it may be idle.
    private static let requestDeadline: Duration = .seconds(30)
    private static let idleDeadline: Duration = .seconds(75)
    /// Bytes that a slow reader must take within `requestDeadline`. The slowest networks carry
    /// more; without this minimum, a client that reads a byte now and then would hold a response
    /// for ever. All connections together have a limit of their own.
    private static let takenBytesMin = 32 << 10
    /// Bodies up to this size are copied behind their head, and sent with it.
    private static let smallBytesMax = 16 << 10
    /// How long a new client may take to send its first request while the server shuts down.
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
    /// The client of the WebSocket that this connection becomes.
    private var upgrade: WebSocketClient?
    /// The compression negotiated for that WebSocket.
    private var compression: PerMessageDeflate?
    /// Until when the client must have sent or read something.
    private lazy var deadline = ClientDeadline(server.loop) { [weak self] in
        self?.deadlinePassed()
    }
    /// Bytes unsent at the start of the current deadline.
    private var untaken = 0
    private var isAdvancing = false
    /// Whether the client has sent nothing yet.
    private var isNew = true
    /// The rest of a response's body, waiting for a slow reader.
    private var unsent: ArraySlice<UInt8> = []
    /// The request body that is being read.
    private var upload: UploadedBody?
    /// Tells the request that is being handled that its client has left.
    private var departure: ClientDeparture?
    /// Resumed when a slow reader has taken more.
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

    /// Whether a response is due, or a first request may arrive.
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
        // A client that has no more requests could still read the response; those that wait for an
        // answer of a model, and close, do not.
        departure?.leave()
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
        deadline.end()
        upload?.fail()
        departure?.leave()
        makeRoom()
        server.remove(self)
    }

    func drain() {
        // A new client's first request may be on its way.
        http.drain(waitsForRequest: isNew)
        if isNew { expect(within: Self.lastRequestDeadline) }
        if http.shouldClose { stream.closeAfterFlush() }
    }

    // MARK: Requests

    /// Processes what has arrived, except for a client that does not read its responses: its
    /// requests would pile up.
    private func advance() {
        // A response that needs nothing but memory is sent, and ends, within the loop below.
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        do {
            while !stream.isAboveHighMark, let event = try http.nextEvent() { handle(event) }
        } catch {
            refuse(error)
            return
        }
        if http.shouldClose { closeWhenTaken() }
    }

    /// Closes after the last response. If much of it is unsent, the client gets the usual time to
    /// read: the stream alone would allow only seconds.
    private func closeWhenTaken() {
        guard stream.queuedByteCount >= Self.takenBytesMin else { return stream.closeAfterFlush() }
        stream.finishWriting()
    }

    private func refuse(_ error: HTTPError) {
        deadline.end()
        let bytes = http.sendError(error, headers: server.commonFields.headers)
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
            if let limit = Router.uploadLimit(of: head, server.settings) {
                beginUpload(head, limit)
            } else {
                stream.write(http.sendContinue())
            }
        case .body(let bytes):
            guard let upload else { return body.append(contentsOf: bytes) }
            upload.append(bytes)
            // While the body is not read, the deadline is paused with it.
            if upload.isFull { pauseUpload() } else { expect(within: Self.requestDeadline) }
        case .end:
            // The request is complete; the time from now on is the server's.
            deadline.end()
            if let upload { return upload.finish() }
            guard let head else { return }
            var request = Request(id: requestID, head: head, body: body, peer: stream.peer)
            if let outcome = router.answerAtOnce(request) { return finish(outcome) }
            request.departure = beginDeparture()
            server.loop.spawn { [self, request] in finish(await router.answer(request)) }
        case .upgrade(let remaining):
            becomeWebSocket(remaining)
        }
    }

    /// Counts a response.
    /// - Returns: the fields to add to it.
    private func fields(for head: HTTPResponseHead) -> EncodedFields {
        server.metrics.requests.answered(status: head.status.code)
        return server.commonFields.encoded
    }

    private func finish(_ outcome: Outcome) {
        guard stream.isOpen, !http.shouldClose else { return }
        switch outcome {
        case .response(let response):
            let fields = fields(for: response.head)
            if response.body.count <= Self.smallBytesMax {
                stream.write(http.send(response.head, adding: fields, body: response.body))
                return endResponse()
            }
            let length = HTTPBodyLength.exactly(response.body.count)
            stream.write(http.send(response.head, adding: fields, length: length))
            unsent = response.body[...]
            sendBody()
        case .stream(let head, let next):
            let isToHead = self.head?.method == .head
            stream.write(http.send(head, adding: fields(for: head), length: .unknown))
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

    /// Sends a body piece by piece, no faster than the client reads.
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
        deadline.end()
    }

    private func makeRoom() {
        room?.succeed(())
        room = nil
    }

    // MARK: Uploads

    /// Handles a request whose body is still to come.
    private func beginUpload(_ head: HTTPRequestHead, _ bytesMax: Int) {
        let upload = UploadedBody(loop: server.loop)
        self.upload = upload
        http.bodyBytesMax = bytesMax
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
        var request = Request(
            id: requestID,
            head: head,
            body: [],
            peer: stream.peer,
            upload: upload
        )
        request.departure = beginDeparture()
        server.loop.spawn { [self, request] in
            var outcome = await router.answer(request)
            // The rest of a refused body is not read.
            if !upload.isComplete, case .response(var response) = outcome {
                response.head.headers[.connection] = "close"
                outcome = .response(response)
            }
            self.upload = nil
            finish(outcome)
        }
    }

    private func beginDeparture() -> ClientDeparture {
        let departure = ClientDeparture()
        self.departure = departure
        return departure
    }

    private func pauseUpload() {
        deadline.end()
        stream.pauseReading()
    }

    /// Sends as much of the body as the client reads; the rest follows later.
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
        departure = nil
        body = []
        stream.resumeReading()
        // A part of the next request may be here already; the deadline covers the rest of it.
        expect(within: http.isIdle ? Self.idleDeadline : Self.requestDeadline)
        advance()
    }

    private func expect(within duration: Duration) {
        deadline.set(within: duration)
        // Asks the system only for clients with many unsent bytes, not after every response.
        let hasMuch = stream.queuedByteCount >= Self.takenBytesMin
        untaken = hasMuch ? stream.untakenByteCount : 0
    }

    private func deadlinePassed() {
        let left = stream.untakenByteCount
        if left > 0, untaken - left >= Self.takenBytesMin {
            // Slow, but still reading.
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
        let fields = fields(for: head)
        let isSwitch = head.status == .switchingProtocols
        stream.write(
            isSwitch
                ? http.send(head, adding: fields, length: .exactly(0))
                : http.send(head, adding: fields)
        )
    }

    private func becomeWebSocket(_ remaining: [UInt8]) {
        guard let client = upgrade else { return }
        deadline.end()
        server.remove(self)
        let handler = WebSocketHandler(
            stream,
            client: client,
            compression: compression,
            server: server,
            // From here on the client numbers its requests itself.
            connectionNumber: server.numberConnection()
        )
        handler.start(remaining: remaining)
    }
}
