// A WebSocket on a byte stream: frames in, messages to a handler, frames out. It answers pings and the
// closing handshake by itself. Its hot path is `receive`: for each message in one read a call of the
// handler, and no allocation; what the handler sends waits in the stream until the turn ends, and leaves
// in one system call.

import EventLoop
public import Networking
public import WebSocketProtocol

/// One WebSocket after its handshake, on its stream's loop.
///
/// The stream keeps an open WebSocket alive, and the WebSocket its handler.
public final class WebSocketStream {
    /// How long a close frame may wait for its answer.
    private static let closeDeadline: Duration = .seconds(5)

    /// The stream beneath.
    public let stream: ByteStream

    /// When bytes last came, or could have come unheard because reading was paused. Read and set as a whole
    /// (decision 30).
    @exclusivity(unchecked) private var lastHeard: ContinuousClock.Instant

    /// Its methods call nobody who could reach it (decision 30).
    @exclusivity(unchecked) private var connection: WebSocketConnection
    private var handler: (any WebSocketStreamHandler)?
    private var closeTimer: TimerToken?
    private var keepAlive: KeepAlive?
    /// Where `keepAlive` finds this WebSocket.
    var place = KeepAlive.Place()

    /// A WebSocket that speaks as `connection` on `stream`, from `start` on.
    public init(_ stream: ByteStream, _ connection: consuming WebSocketConnection) {
        self.stream = stream
        self.connection = connection
        lastHeard = stream.loop.now
    }

    /// Becomes the handler of the stream, and hands `remaining`, which came with the handshake, and what
    /// follows to `handler`.
    public func start(_ handler: any WebSocketStreamHandler, remaining: [UInt8] = []) {
        self.handler = handler
        stream.handler = self
        handler.webSocketOpened(self)
        var remaining = remaining
        remaining.withUnsafeMutableBytes { receive($0) }
    }

    /// Has `keepAlive` look after the peer from now on, until the stream is closed.
    public func join(_ keepAlive: KeepAlive) {
        guard stream.isOpen, self.keepAlive == nil else { return }
        self.keepAlive = keepAlive
        place = keepAlive.add(self)
    }

    /// Called by `keepAlive` once a round: asks a peer that was not heard for `quietMin` whether it is
    /// there, and tells of one that was not for `silenceMax`.
    func visited(silenceMax: Duration, quietMin: Duration) {
        let quiet = stream.loop.now - lastHeard
        // Whoever is not listened to is not silent: its answers lie in the socket.
        if stream.isReadingPaused { lastHeard = stream.loop.now }
        if stream.loop.now - lastHeard >= silenceMax {
            handler?.webSocketFellSilent(self)
        } else if quiet >= quietMin {
            ping()
        }
    }

    /// How many bytes are held of a message that has not come wholly.
    public var bufferedByteCount: Int { connection.bufferedByteCount }

    // MARK: Sending

    /// Whether messages can be sent: no side has closed.
    public var isOpen: Bool { connection.isOpen }

    /// Sends a copy of `message`; nothing, once either side has closed.
    public func send(_ message: WebSocketMessage) {
        switch connection.departure(byteCount: message.bytes.count) {
        case .closed: return
        case .asItIs: message.withFrameHeader { stream.write(copying: $0, message.bytes) }
        case .compressed:
            let bytes = Array(message.bytes)
            stream.write(
                message.isText ? connection.send(text: bytes) : connection.send(binary: bytes)
            )
        }
    }

    /// Sends whole frames that others send, too, compressed where that was agreed on; nothing, once
    /// either side has closed.
    public func send(_ frames: SharedBytes, _ compression: FrameCompression) {
        if let form = form(of: frames, compression) { stream.write(form) }
    }

    /// The same at once, where nothing waits before them: for the end of a turn.
    public func sendNow(_ frames: SharedBytes, _ compression: FrameCompression) {
        if let form = form(of: frames, compression) { stream.writeNow(form) }
    }

    /// What this client is sent of shared frames; nil once either side has closed.
    private func form(of frames: SharedBytes, _ compression: FrameCompression) -> SharedBytes? {
        guard connection.isOpen else { return nil }
        let form = compression.form(of: frames, windowBits: connection.sharedWindowBits)
        if form !== frames { connection.sharedFramesWereSent() }
        return form
    }

    /// Sends a text, which has to be UTF-8; nothing, once either side has closed.
    public func send(text: [UInt8]) { stream.write(connection.send(text: text)) }

    /// Asks the peer whether it is there.
    public func ping() {
        let frame = connection.sendPing()
        guard !frame.isEmpty else { return }
        handler?.webSocketFigures?.pingsSent += 1
        stream.write(frame)
    }

    /// Begins to close; where the peer does not answer in time, the stream is closed all the same.
    public func close(_ code: WebSocketCloseCode) {
        guard connection.isOpen else { return }
        writeClose(connection.sendClose(code), WebSocketEnd(.here, code))
        closeTimer = stream.loop.schedule(after: Self.closeDeadline) { [weak self] in
            self?.stream.close()
        }
    }

    /// Sends a close frame; nothing, where one was sent before.
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
        lastHeard = stream.loop.now
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
            // Both have said all, and it is the server that closes (RFC 6455 section 7.1.1).
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
    /// Reads frames out of `bytes`, and unmasks them there.
    public func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        receive(UnsafeMutableRawBufferPointer(mutating: bytes))
    }

    /// Closes: a peer that has gone without a close frame reads nothing more.
    public func streamReceivedEnd(_ stream: ByteStream) {
        stream.closeAfterFlush(awaitingPeer: false)
    }

    /// Tells the handler.
    public func streamDrained(_ stream: ByteStream) { handler?.webSocketDrained(self) }

    /// Tells the handler for the last time.
    public func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        closeTimer?.cancel()
        closeTimer = nil
        keepAlive?.remove(at: place)
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
