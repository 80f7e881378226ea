// A minimal WebSocket client: it does nothing by itself, so that a test decides what is sent, what
// is read and when. The client library has tests of its own.

import ChatProtocol
import HTTPProtocol
import WebSocketProtocol

/// One connection to the server's WebSocket.
final class Peer {
    /// A frame from the server.
    private enum Incoming {
        case frame(ServerFrame)
        case closed(UInt16?)
    }

    private let socket: BlockingSocket
    private static let limits = WebSocketLimits(
        frameBytesMax: 16 << 20,
        messageBytesMax: 16 << 20
    )
    private var webSocket = WebSocketConnection(role: .client, limits: Peer.limits)
    /// The negotiated compression.
    private(set) var compression: PerMessageDeflate?
    /// Received bytes, before decompression.
    private(set) var receivedByteCount = 0
    private var incoming: [Incoming] = []
    /// Replies received while waiting for another.
    private var replies: [Int64?: Result<ReplyText, WireError>] = [:]
    /// The ids of the answered requests, in the order of the replies.
    private(set) var answered: [Int64?] = []
    private var lastID: Int64 = 0
    /// Events received while waiting for something else, oldest first.
    private(set) var events: [ServerEvent] = []

    /// Opens a WebSocket.
    /// - Throws: `WebSocketHandshakeError.refused` if the server refuses it.
    init(
        _ server: StoaServer,
        token: String? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        compression: PerMessageDeflate? = nil,
        isNarrow: Bool = false
    ) throws {
        socket = try BlockingSocket(port: server.port, isNarrow: isNarrow)
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        let handshake = WebSocketClientHandshake(
            target: "/ws",
            host: "127.0.0.1:\(server.port)",
            subprotocols: [subprotocolName],
            headers: headers,
            compression: compression
        )
        let deadline = Deadline(.patience)
        var http = HTTPClientConnection()
        try socket.send(http.send(handshake.request), deadline)
        while true {
            while let event = try http.nextEvent() {
                if case .response(let head) = event {
                    _ = try handshake.verify(head)
                    self.compression = try handshake.compression(in: head)
                    webSocket = WebSocketConnection(
                        role: .client,
                        limits: Self.limits,
                        compression: self.compression
                    )
                }
                guard case .upgrade(let remaining) = event else { continue }
                try receive(remaining)
                return
            }
            let bytes = try socket.receive(deadline)
            guard !bytes.isEmpty else { throw HarnessError("the handshake was cut off") }
            bytes.withUnsafeBytes { http.receive($0) }
        }
    }

    // MARK: Requests

    /// Sends a request and waits for its reply.
    /// - Throws: the `WireError` of an error reply.
    func call<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ body: some Encodable = EmptyRequest(),
        as type: Reply.Type = Reply.self,
        within duration: Duration = .patience
    ) throws -> Reply {
        try reply(to: send(operation, body), within: duration).get().decode(as: type)
    }

    /// Sends a request without waiting, and returns its id.
    @discardableResult
    func send<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ body: some Encodable = EmptyRequest()
    ) throws -> Int64 {
        try send(operation.definition, body)
    }

    /// The same for any operation.
    func send(_ operation: OperationDefinition, _ body: some Encodable) throws -> Int64 {
        lastID += 1
        let request = OutgoingRequest(id: lastID, named: operation.name, body)
        try send(text: WireEncoding.text(request))
        return lastID
    }

    /// The error code of a request; nil if it succeeds.
    func refusal<Request, Reply>(
        _ operation: Operation<Request, Reply>,
        _ body: some Encodable
    ) throws -> ErrorCode? {
        guard case .failure(let error) = try reply(to: send(operation, body)) else { return nil }
        return error.code
    }

    /// Waits for the reply to a request; nil means one whose id could not be read.
    func reply(
        to id: Int64?,
        within duration: Duration = .patience
    ) throws -> Result<ReplyText, WireError> {
        let deadline = Deadline(duration)
        while true {
            if let result = replies.removeValue(forKey: id) { return result }
            switch try next(deadline) {
            case .frame(.reply(let id, let result)): keep(result, of: id)
            case .frame(.event(let event)): events.append(event)
            case .frame(.unknown): break
            case .closed(let code): throw HarnessError("closed with \(code ?? 0)")
            }
        }
    }

    private func keep(_ reply: Result<ReplyText, WireError>, of id: Int64?) {
        replies[id] = reply
        answered.append(id)
    }

    // MARK: Events

    /// The next event.
    func nextEvent(within duration: Duration = .patience) throws -> ServerEvent {
        if !events.isEmpty { return events.removeFirst() }
        let deadline = Deadline(duration)
        while true {
            switch try next(deadline) {
            case .frame(.event(let event)): return event
            case .frame(.reply(let id, let result)): keep(result, of: id)
            case .frame(.unknown): break
            case .closed(let code): throw HarnessError("closed with \(code ?? 0)")
            }
        }
    }

    /// Reads up to the close frame and returns its code; nil if the stream ended without one.
    func closeCode(within duration: Duration = .patience) throws -> UInt16? {
        let deadline = Deadline(duration)
        while true {
            if case .closed(let code) = try next(deadline) { return code }
        }
    }

    /// Closes the connection, and waits until the server has.
    func close() throws {
        try send(raw: webSocket.sendClose(.normal))
        while try closeCode() != nil {}
    }

    /// Reads the events that have arrived, without waiting.
    func takeArrived() throws {
        while let bytes = socket.receiveArrived(), !bytes.isEmpty { try receive(bytes) }
        for case .frame(let frame) in incoming {
            switch frame {
            case .event(let event): events.append(event)
            case .reply(let id, let result): keep(result, of: id)
            case .unknown: break
            }
        }
        incoming.removeAll { if case .frame = $0 { true } else { false } }
    }

    // MARK: Bytes

    /// Sends a text frame with any content.
    func send(text: [UInt8]) throws { try send(raw: webSocket.send(text: text)) }

    /// Sends a text frame.
    func send(text: String) throws { try send(text: Array(text.utf8)) }

    /// Sends raw bytes.
    func send(raw bytes: [UInt8]) throws { try socket.send(bytes, Deadline(.patience)) }

    private func next(_ deadline: Deadline) throws -> Incoming {
        while incoming.isEmpty {
            let bytes = try socket.receive(deadline)
            if bytes.isEmpty { incoming.append(.closed(nil)) }
            try receive(bytes)
        }
        return incoming.removeFirst()
    }

    private func receive(_ bytes: [UInt8]) throws {
        receivedByteCount += bytes.count
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = try webSocket.receive(&rest) {
                switch event {
                case .text(let text): incoming.append(.frame(try ServerFrame.parse(text)))
                case .binary: throw HarnessError("the server sent a binary frame")
                case .ping(let payload): try send(raw: webSocket.sendPong(payload))
                case .pong: break
                case .close(let code, _):
                    incoming.append(.closed(code?.rawValue))
                    try? send(raw: webSocket.sendClose(code))
                }
            }
        }
    }
}
