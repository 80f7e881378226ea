// A WebSocket on a byte stream: frames to messages for a handler, and back. It replies to pings and
// close frames itself. Its hot path is `receive`: one call of the handler for each message in a
// read, without allocation; what the handler sends is gathered in the stream until the turn ends
// and sent with one system call.

import EventLoop
public import Networking
public import WebSocketProtocol

/// One WebSocket after its handshake, on its stream's loop.
///
/// The stream retains an open WebSocket, and the WebSocket its handler.
public final class WebSocketStream {
    /// How long to wait for the reply to a close frame.
    private static let closeDeadline: Duration = .seconds(5)

    /// The underlying stream.
    public let stream: ByteStream

    /// Its methods call no code that could access it (decision 30).
    @exclusivity(unchecked) private var connection: WebSocketConnection
    private var handler: (any WebSocketStreamHandler)?
    private var keepAlive: KeepAlive?
    /// The bin of this WebSocket in `keepAlive`.
    private var bin: UInt16 = 0
    /// Whether bytes were received since the latest visit of `keepAlive`. Read and set as a whole
    /// (decision 30).
    @exclusivity(unchecked) private var wasHeard = true
    /// The number of visits since one for which bytes were received.
    private var idleVisits: UInt8 = 0

    /// Creates a WebSocket for `connection` on `stream`, which `start` starts.
    public init(_ stream: ByteStream, _ connection: consuming WebSocketConnection) {
        self.stream = stream
        self.connection = connection
    }

    /// Becomes the handler of the stream, and passes `remaining`, the bytes received with the
    /// handshake, and all later ones to `handler`.
    public func start(_ handler: any WebSocketStreamHandler, remaining: [UInt8] = []) {
        self.handler = handler
        stream.handler = self
        handler.webSocketOpened(self)
        var remaining = remaining
        remaining.withUnsafeMutableBytes { receive($0) }
    }

    /// Lets `keepAlive` monitor the peer until the stream is closed.
    public func join(_ keepAlive: KeepAlive) {
        guard stream.isOpen, self.keepAlive == nil else { return }
        self.keepAlive = keepAlive
        bin = keepAlive.add(self)
    }

    /// Called by `keepAlive` once a round: pings an idle peer in every other one, and reports one
    /// that has been idle for `idleVisitsMax` rounds.
    func visited(idleVisitsMax: UInt8) {
        idleVisits = wasHeard ? 0 : idleVisits + 1
        wasHeard = false
        // While reading is paused a peer is not idle: its bytes are in the socket. It is pinged all
        // the same, because of intermediaries.
        if stream.isReadingPaused { idleVisits %= 2 }
        if idleVisits >= idleVisitsMax {
            idleVisits = 0
            handler?.webSocketTimedOut(self)
        } else if idleVisits % 2 == 1 {
            ping()
        }
    }

    /// The number of buffered bytes of an incomplete message.
    public var bufferedByteCount: Int { connection.bufferedByteCount }

    // MARK: Sending

    /// Whether messages can be sent: neither side has closed.
    public var isOpen: Bool { connection.isOpen }

    /// Sends a copy of `message`; does nothing if either side has closed.
    public func send(_ message: WebSocketMessage) {
        switch connection.sending(message) {
        case .closed: return
        case .borrowed(let sent): sent.withFrameHeader { stream.write(copying: $0, sent.bytes) }
        case .frame(let bytes): stream.write(bytes)
        }
    }

    /// Sends shared frames, compressed if negotiated; does nothing if either side has closed.
    public func send(_ frames: SharedBytes, _ compression: FrameCompression) {
        if let encoded = encoding(of: frames, compression) { stream.write(encoded) }
    }

    /// The same, but sent at once if the queue is empty; for use at the end of a turn. See
    /// `ByteStream.writeNow`.
    public func sendNow(
        _ frames: SharedBytes,
        _ compression: FrameCompression,
        amongStreams streamCount: Int
    ) {
        guard let encoded = encoding(of: frames, compression) else { return }
        stream.writeNow(encoded, amongStreams: streamCount)
    }

    /// The encoding of shared frames for this client; nil if either side has closed.
    private func encoding(of frames: SharedBytes, _ compression: FrameCompression) -> SharedBytes? {
        guard connection.isOpen else { return nil }
        let encoded = compression.encoding(of: frames, windowBits: connection.sharedWindowBits)
        if encoded !== frames { connection.sharedFramesWereSent() }
        return encoded
    }

    /// Sends a text, which must be UTF-8; does nothing if either side has closed.
    public func send(text: [UInt8]) { stream.write(connection.send(text: text)) }

    /// Sends a ping.
    public func ping() {
        let frame = connection.sendPing()
        guard !frame.isEmpty else { return }
        handler?.webSocketFigures?.pingsSent += 1
        stream.write(frame)
    }

    /// Starts the close handshake; if the peer does not reply in time, the stream is closed.
    public func close(_ code: WebSocketCloseCode) {
        guard connection.isOpen else { return }
        writeClose(connection.sendClose(code), WebSocketEnd(.here, code))
        stream.close(after: Self.closeDeadline)
    }

    /// Sends a close frame unless one was already sent.
    private func writeClose(_ frame: [UInt8], _ end: WebSocketEnd) {
        guard !frame.isEmpty else { return }
        if let figures = handler?.webSocketFigures {
            figures.closesSent += 1
            figures.count(end)
        }
        stream.write(frame)
    }

    // MARK: Receiving

    private func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let handler else { return }
        wasHeard = true
        var rest = bytes
        do {
            while stream.isOpen, let input = try connection.receive(inPlace: &rest) {
                switch input {
                case .message(let message): handler.webSocket(self, received: message)
                case .event(let event): handle(event, handler)
                }
            }
        } catch {
            handler.webSocketFailed(self, error)
            writeClose(connection.sendClose(for: error), WebSocketEnd(.here, error.closeCode))
            stream.closeAfterFlush()
        }
    }

    private func handle(_ event: WebSocketEvent, _ handler: any WebSocketStreamHandler) {
        switch event {
        case .text(let bytes): lend(bytes, isText: true, to: handler)
        case .binary(let bytes): lend(bytes, isText: false, to: handler)
        case .ping(let payload): answer(payload, handler.webSocketFigures)
        case .pong: handler.webSocketFigures?.pongsReceived += 1
        case .close(let code, _):
            handler.webSocketFigures?.closesReceived += 1
            handler.webSocketReceivedClose(self)
            writeClose(connection.sendClose(code), WebSocketEnd(.peer, code))
            // The close handshake is complete, and the server closes the stream (RFC 6455 section
            // 7.1.1).
            stream.closeAfterFlush(awaitingPeer: false)
        }
    }

    private func answer(_ ping: [UInt8], _ figures: WebSocketFigures?) {
        figures?.pingsReceived += 1
        let frame = connection.sendPong(ping)
        guard !frame.isEmpty else { return }
        figures?.pongsSent += 1
        stream.write(frame)
    }

    private func lend(_ bytes: [UInt8], isText: Bool, to handler: any WebSocketStreamHandler) {
        bytes.withUnsafeBytes {
            handler.webSocket(self, received: WebSocketMessage(isText: isText, bytes: $0))
        }
    }
}

extension WebSocketStream: StreamHandler {
    /// Parses frames in `bytes`, and unmasks them in slot.
    public func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        receive(UnsafeMutableRawBufferPointer(mutating: bytes))
    }

    /// Closes: a peer that ended without a close frame does not read any more.
    public func streamReceivedEnd(_ stream: ByteStream) {
        stream.closeAfterFlush(awaitingPeer: false)
    }

    /// Notifies the handler.
    public func streamDrained(_ stream: ByteStream) { handler?.webSocketDrained(self) }

    /// Notifies the handler, for the last time.
    public func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        keepAlive?.remove(self, from: bin)
        keepAlive = nil
        let last = handler
        handler = nil
        if let figures = last?.webSocketFigures {
            if connection.isOpen { figures.count(.cutOff) }
            if case .writeQueueFull? = error { figures.overflowCount += 1 }
        }
        last?.webSocketClosed(self)
    }
}
