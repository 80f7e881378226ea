// One signed-in client: requests in, replies and events out, as texts. The connection frames them.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Networking
import Traces
import Tracing
import WebSocketProtocol

/// The connection of a session.
protocol SessionCarrier: AnyObject {
    /// The connection's number in log messages.
    var connectionNumber: Int { get }
    /// The trace that the connection's requests are a part of; nil for none.
    var traceCaller: TraceCaller? { get }
    /// Sends a frame.
    func send(_ frame: SharedBytes)
    /// Bytes that are not sent yet.
    var queuedByteCount: Int { get }
    /// Whether more bytes are queued than the high mark.
    var isAboveHighMark: Bool { get }
    /// Ends the connection with a reason.
    func close(_ code: CloseCode)
    /// Ends the connection without sending what is queued.
    func cutOff()
}

/// A client's session on one connection.
final class ClientSession: Watcher, SignInHolder {
    /// Errors in a row after which a client is closed.
    private static let errorsInRowMax = 100
    /// How often a snapshot is read again because an answer ended or another watch began meanwhile.
    private static let snapshotTriesMax = 20
    /// Queued bytes above which a slow consumer must watch again.
    private static let stuckByteCount = 4 << 20

    let server: any SessionServices
    let signedIn: SignedIn
    var user: User { signedIn.user }
    /// The sign-in, or the API key.
    var session: SessionID { signedIn.session }
    var credential: Credential { signedIn.credential }
    private unowned let carrier: any SessionCarrier
    private let connectionNumber: Int
    private(set) var watched: Set<ConversationID> = []
    private var requestsInFlight = 0
    private var errorsInRow = 0
    private var isEnded = false
    /// The code with which the connection closes once all requests are answered; nil if it stays
    /// open.
    private var farewell: CloseCode?
    /// Whether a request came since the sign-in was last checked.
    private var isUsed = false
    /// The serial queues that have requests in flight: the last one's task, and how many.
    private var queues: [RequestQueue: (last: LoopTask, count: Int)] = [:]

    init(_ signedIn: SignedIn, server: any SessionServices, carrier: any SessionCarrier) {
        self.signedIn = signedIn
        self.server = server
        self.carrier = carrier
        connectionNumber = carrier.connectionNumber
        server.hub.connect(
            self,
            of: signedIn.user,
            isAdministrator: signedIn.credential.isAdministrator,
            listPosition: signedIn.listPosition
        )
        server.signIns.add(self)
        send(
            .welcome(
                Welcome(
                    server: Server.version,
                    protocol: subprotocolName,
                    epoch: server.epoch,
                    user: signedIn.user,
                    session: signedIn.session,
                    limits: server.limits,
                    models: models,
                    time: .now,
                    u: signedIn.listPosition
                )
            )
        )
        server.loop.spawn { [self] in
            // After `end`, nothing would end this registration.
            if !isEnded { await server.nodes.join(user.id) }
        }
    }

    /// Ends the session after its connection has closed.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        server.signIns.remove(self)
        server.hub.disconnect(self, of: user.id, watching: watched)
    }

    /// Closes the connection once all requests are answered. Later requests are ignored: the client
    /// sends them again on its next connection.
    func leave(_ code: CloseCode) {
        farewell = code
        leaveWhenDone()
    }

    private func leaveWhenDone() {
        guard let farewell, requestsInFlight == 0, !isEnded else { return }
        end()
        carrier.close(farewell)
    }

    func takeUse() -> Bool {
        defer { isUsed = false }
        return isUsed
    }

    func signInEnded(_ code: CloseCode) {
        guard !isEnded else { return }
        end()
        // A slow consumer may no longer be allowed to read what is still queued.
        if isSlow { carrier.cutOff() } else { carrier.close(code) }
    }

    /// Sends what was held back, once the connection can send again.
    func resume() { server.hub.resume(watched, self, of: user.id) }

    // MARK: Sending

    var isSlow: Bool { carrier.isAboveHighMark }
    var isStuck: Bool { carrier.queuedByteCount > Self.stuckByteCount }

    func send(_ frame: SharedBytes) {
        if !isEnded { carrier.send(frame) }
    }

    func send(_ event: ServerEvent) {
        send(ConversationChannel.frame(event))
    }

    private func sendText(_ text: [UInt8]) {
        send(SharedBytes(WebSocketFrame.encode(text: text)))
    }

    // MARK: Requests

    /// Receives the text of one frame.
    func receive(_ text: [UInt8]) {
        guard !isEnded, farewell == nil else { return }
        isUsed = true
        let request: ClientRequest
        do {
            request = try ClientRequest.parse(text)
        } catch {
            refuse(error.id, error.error)
            return
        }
        guard requestsInFlight < server.limits.requestsInFlight else {
            let limit = server.limits.requestsInFlight
            refuse(
                request.id,
                WireError(.rateLimited, "more than \(limit) requests at once")
            )
            return
        }
        requestsInFlight += 1
        guard let queue = OperationRouter.shared.queue(of: request) else {
            server.loop.spawn { [self] in await serve(request) }
            return
        }
        let (previous, count) = queues[queue].map { ($0.last, $0.count) } ?? (nil, 0)
        let last = server.loop.spawn { [self] in
            await previous?.wait()
            await serve(request)
            shorten(queue)
        }
        queues[queue] = (last, count + 1)
    }

    private func shorten(_ queue: RequestQueue) {
        guard let (last, count) = queues[queue] else { return }
        queues[queue] = count > 1 ? (last, count - 1) : nil
        // An empty dictionary keeps its storage.
        if queues.isEmpty { queues = [:] }
    }

    private func serve(_ request: ClientRequest) async {
        // The sign-in ended while the request waited for its turn.
        guard !isEnded else { return }
        let begunAt = server.loop.now
        let requestID = RequestID(connection: connectionNumber, number: request.id)
        let span = server.traces?
            .begin(request.operation.name, from: carrier.traceCaller, requestID)
        var code: ErrorCode?
        do {
            let permission = Permission.decide(request.operation, with: credential)
            if let refusal = permission.refusal { throw refusal }
            if let rate = request.operation.rate { try server.rates.take(rate, of: user.id) }
            try await watched(request, requestID, in: span)
            errorsInRow = 0
        } catch {
            let refusal = server.wireError(error, in: requestID)
            code = refusal.code
            refuse(request.id, refusal)
        }
        span?.end(with: code)
        let duration = server.loop.now - begunAt
        server.metrics.requests.answered(request.operation, after: duration)
        server.logger.debug(
            "answered",
            metadata: [
                "request": "\(requestID)", "operation": "\(request.operation.name)",
                "user": "\(user.id)", "result": "\(code?.rawValue ?? "ok")",
                "milliseconds": "\(Int(duration.milliseconds))",
            ]
        )
        requestsInFlight -= 1
        leaveWhenDone()
    }

    private func watched(
        _ request: ClientRequest,
        _ id: RequestID,
        in span: RecordedSpan?
    ) async throws {
        guard let slowLog = server.slowLog else { return try await answer(request, in: span) }
        try await slowLog.watch(request.operation.name, id) {
            try await answer(request, in: span)
        }
    }

    private func answer(_ request: ClientRequest, in span: RecordedSpan?) async throws {
        guard let span else {
            return try await OperationRouter.shared.answer(request, for: self)
        }
        try await ServiceContext.withValue(span.context) {
            try await OperationRouter.shared.answer(request, for: self)
        }
    }

    private func refuse(_ id: Int64?, _ error: WireError) {
        sendText(WireEncoding.reply(id, error: error))
        server.metrics.requests.refused(error.code)
        errorsInRow += 1
        if errorsInRow > Self.errorsInRowMax, !isEnded { carrier.close(.misbehaved) }
    }

    /// Sends the reply of a successful request.
    func grant(_ id: Int64, _ body: some Encodable) {
        sendText(WireEncoding.reply(id, ok: body))
    }

    /// Sends the stored reply of a request's idempotency key, byte for byte.
    func grant(_ id: Int64, _ committed: Committed<some Encodable>) {
        if let text = committed.text {
            sendText(WireEncoding.reply(id, okText: text))
        } else {
            grant(id, committed.value)
        }
    }

    // MARK: Watching

    func watch(_ id: Int64, _ request: ConversationWatchRequest) async throws {
        let conversation = request.conversation
        guard
            watched.count < server.limits.watchedConversations
                || watched.contains(conversation)
        else {
            let limit = server.limits.watchedConversations
            throw WireError(.limitExceeded, "more than \(limit) conversations at once")
        }
        // Events that are committed while the database is read are held back from here on.
        server.hub.beginWatch(conversation, self)
        watched.insert(conversation)
        await server.nodes.join(conversation)
        do {
            var reply = try await snapshot(of: request)
            let ended = reply.endedMessages
            if server.hub.lastTold(in: conversation) == nil {
                // Their ends were not broadcast here, and will not be.
                for message in ended { server.hub.dropAnswer(message, in: conversation) }
            }
            reply.growing = server.hub.growing(
                conversation,
                have: request.have ?? [:],
                stored: reply.growing
            ).filter { !ended.contains($0.message) }
            grant(id, reply)
            server.hub.activate(conversation, self, n: reply.n, ended: ended)
            server.nodes.activated(conversation)
            server.nodes.presence.join(conversation, user, self)
        } catch {
            unwatch(conversation)
            throw error
        }
    }

    /// The events or the snapshot that a subscriber lacks, without a gap before the events that are
    /// held back for it.
    private func snapshot(
        of request: ConversationWatchRequest
    ) async throws -> ConversationWatchReply {
        let conversation = request.conversation
        for _ in 0..<Self.snapshotTriesMax {
            let reply = try await server.store.events.catchUp(
                conversation,
                after: request.after,
                leaf: request.leaf,
                have: request.have ?? [:],
                for: user.id,
                eventLimit: 200,
                pageLimit: 50
            )
            let ended = reply.endedMessages
            let isFollowed = await server.nodes.adopt(
                reply.growing.filter { !ended.contains($0.message) },
                in: conversation
            )
            guard !isEnded, server.hub.isWatching(conversation, self) else {
                // The user was removed, or is a slow consumer.
                try await server.store.conversations.require(.read, of: user.id, in: conversation)
                throw WireError(
                    .unavailable,
                    "the subscription ended: watch again",
                    retryAfter: 0.1
                )
            }
            // What other subscribers were sent is committed, so the next snapshot contains it.
            if isFollowed, !server.hub.misses(conversation, self, after: reply.n) { return reply }
        }
        throw WireError(.unavailable, "too many concurrent changes: watch again", retryAfter: 1)
    }

    func unwatch(_ conversation: ConversationID) {
        watched.remove(conversation)
        server.hub.unwatch(conversation, self)
    }
}

extension ConversationWatchReply {
    /// The answers that have ended according to this reply.
    fileprivate var endedMessages: Set<MessageID> {
        var ended = Set((events ?? []).compactMap(\.endedMessage))
        for message in snapshot?.messages ?? [] where message.state.isFinal {
            ended.insert(message.id)
        }
        return ended
    }
}
