// A WebSocket connection after its handshake, RFC 6455 sections 5 to 7, without I/O and clock:
// frames to messages, and messages to frames.
//
// Theory of operation. `receive` parses received bytes in the caller's buffer and returns at each
// event. Only an event's data is copied, so a small message in one read costs one allocation, and
// none if the buffer is mutable (WebSocketConnection+InPlace.swift). `closing` records who has sent
// a close frame; after ours nothing is sent, after the peer's nothing is read.
//
// permessage-deflate (RFC 7692) is applied between frames and messages: `append` decompresses
// received payloads as they arrive, `encodeMessage` compresses sent ones.

/// One side of an open WebSocket.
public struct WebSocketConnection: ~Copyable {
    /// The side of a connection. Clients mask their frames, servers do not.
    public enum Role: Sendable, Hashable {
        /// The side that accepted.
        case server
        /// The side that connected.
        case client
    }

    private enum Closing {
        case notYet
        /// We have sent a close frame and wait for the peer's.
        case sent
        /// The peer has sent a close frame and waits for ours.
        case received
        /// Both have sent one, or the peer violated the protocol.
        case done
    }

    let settings: WebSocketSettings
    /// Nil while the connection is idle.
    private var progress: MessageProgress?
    /// The negotiated compression, if any.
    let agreed: PerMessageDeflate?
    private var closing = Closing.notYet
    var hasFailed = false

    /// Creates a connection after its handshake, with the negotiated compression, for which it uses
    /// the loop's `states` if there are any and no context is kept.
    public init(
        role: Role,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: PerMessageDeflate? = nil,
        states: CompressionStates? = nil
    ) {
        self.init(
            WebSocketSettings(role: role, limits: limits, states: states),
            compression: compression
        )
    }

    /// Creates a connection after its handshake, with the negotiated compression.
    public init(_ settings: WebSocketSettings, compression: PerMessageDeflate?) {
        self.settings = settings
        agreed = compression
    }

    /// Whether messages can be sent: neither side has closed. Check it before writing a shared
    /// frame.
    public var isOpen: Bool { closing == .notYet && !hasFailed }

    /// Whether the next byte starts a client's frame, and no message is in progress.
    var isBetweenMessages: Bool {
        settings.role == .server && isOpen && progress?.reader.isBetweenMessages != false
    }

    /// The loop's states, if received messages can use them.
    var statesOfReceived: CompressionStates? {
        agreed?.peerKeepsContext == false ? settings.states : nil
    }

    /// The progress of reading, created if there is none.
    private mutating func existingOrNewProgress() -> MessageProgress {
        if let progress { return progress }
        let made = MessageProgress(MessageReader(settings, agreed))
        progress = made
        return made
    }

    /// Frees what an idle connection does not need.
    private mutating func dropIdleProgress() {
        guard let progress, progress.reader.isIdle else { return }
        self.progress = nil
    }

    /// The frame of a server's `message`, compressed if that was negotiated and makes it smaller.
    public mutating func sending(_ message: WebSocketMessage) -> WebSocketSending {
        guard isOpen else { return .closed }
        guard let agreed, agreed.compresses(byteCount: message.bytes.count) else {
            return .borrowed(message)
        }
        guard !agreed.keepsContext, let states = settings.states,
            states.takes(byteCount: message.bytes.count)
        else {
            return .frame(encodeMessage(message.isText ? .text : .binary, Array(message.bytes)))
        }
        guard let compressed = states.compress(message.bytes, agreed) else {
            return .borrowed(message)
        }
        return .borrowed(
            WebSocketMessage(isText: message.isText, bytes: compressed, isCompressed: true)
        )
    }

    /// The window size that a `SharedCompressor` may use for this connection: its own, or a smaller
    /// one. Nil if shared frames must be sent uncompressed.
    public var sharedWindowBits: Int? {
        guard let agreed, agreed.windowBits >= PerMessageDeflate.windowBitsMin else { return nil }
        return agreed.windowBits
    }

    /// Call it after writing frames of a `SharedCompressor` to the peer: it resets the connection's
    /// own compression context.
    public mutating func sharedFramesWereSent() {
        guard let progress else { return }
        progress.reader.compression?.resetContext()
        dropIdleProgress()
    }

    /// Whether the close handshake is complete. A server closes the stream after its output has
    /// been sent; a client waits for some time for the server to do so.
    public var isClosed: Bool { closing == .done }

    /// The number of buffered bytes of an incomplete message.
    public var bufferedByteCount: Int { progress?.reader.bufferedByteCount ?? 0 }

    // MARK: Receiving

    /// Parses `bytes` up to the next event and consumes them. Call it until it returns nil: then
    /// all of `bytes` is consumed.
    ///
    /// Bytes after a close frame or an error are dropped.
    /// - Throws: the peer's protocol error. Send the bytes of `sendClose(for:)` and close the
    ///   stream.
    public mutating func receive(
        _ bytes: inout UnsafeRawBufferPointer
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard !hasFailed, closing == .notYet || closing == .sent else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return nil
        }
        if bytes.isEmpty { return nil }
        do {
            let event = try existingOrNewProgress().reader.next(&bytes)
            if case .close = event {
                closing = closing == .sent ? .done : .received
                progress = nil
            } else {
                dropIdleProgress()
            }
            return event
        } catch {
            hasFailed = true
            progress = nil
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            throw error
        }
    }

    // MARK: Sending

    /// Encodes a text message; empty if either side has closed.
    public mutating func send(text: String) -> [UInt8] { send(text: Array(text.utf8)) }

    /// Encodes a text message, which must be UTF-8; empty if either side has closed.
    public mutating func send(text: [UInt8]) -> [UInt8] { encodeMessage(.text, text) }

    /// Encodes a binary message; empty if either side has closed.
    public mutating func send(binary: [UInt8]) -> [UInt8] { encodeMessage(.binary, binary) }

    /// Encodes a ping; empty if either side has closed.
    /// - Precondition: `payload` has at most 125 bytes.
    public mutating func sendPing(_ payload: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= 125, "a control frame has at most 125 bytes")
        return encode(.ping, payload)
    }

    /// Encodes a pong with the payload of a ping; empty if either side has closed.
    /// - Precondition: `payload` has at most 125 bytes.
    public mutating func sendPong(_ payload: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= 125, "a control frame has at most 125 bytes")
        return encode(.pong, payload)
    }

    /// Encodes a close frame, to start closing or to reply to the peer's; empty if one was already
    /// sent. The reason is truncated to 123 bytes.
    /// - Precondition: `code` may be sent. With nil the frame has neither code nor reason.
    public mutating func sendClose(
        _ code: WebSocketCloseCode?,
        reason: String = ""
    ) -> [UInt8] {
        guard !hasFailed else { return [] }
        switch closing {
        case .notYet: closing = .sent
        case .received: closing = .done
        case .sent, .done: return []
        }
        return Self.closeFrame(code, reason: reason, key: nextKey())
    }

    /// Encodes the close frame for an error of `receive`; empty if one was already sent. Close the
    /// stream after it, without waiting for the peer's close frame.
    public mutating func sendClose(for error: WebSocketError) -> [UInt8] {
        hasFailed = true
        let hasSent = closing == .sent || closing == .done
        closing = .done
        if hasSent { return [] }
        return Self.closeFrame(error.closeCode, reason: error.description, key: nextKey())
    }

    private static func closeFrame(
        _ code: WebSocketCloseCode?,
        reason: String,
        key: MaskingKey?
    ) -> [UInt8] {
        guard let code else { return WebSocketFrame.encode(.close, [], key: key) }
        precondition(code.mayBeSent, "this close code must not be sent")
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason.unicodeScalars {
            let bytes = UTF8.encode(character).map(Array.init) ?? []
            guard payload.count + bytes.count <= 125 else { break }
            payload.append(contentsOf: bytes)
        }
        return WebSocketFrame.encode(.close, payload, key: key)
    }

    private mutating func encodeMessage(
        _ opcode: WebSocketOpcode,
        _ message: [UInt8]
    ) -> [UInt8] {
        guard isOpen, agreed != nil, let compressed = compress(message) else {
            return encode(opcode, message)
        }
        return WebSocketFrame.encode(opcode, compressed, isCompressed: true, key: nextKey())
    }

    private mutating func compress(_ message: [UInt8]) -> [UInt8]? {
        defer { dropIdleProgress() }
        return existingOrNewProgress().reader.compression?.compress(message)
    }

    private mutating func encode(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        isOpen ? WebSocketFrame.encode(opcode, payload, key: nextKey()) : []
    }

    /// A new random key for each client frame: whoever chooses the payload must not be able to
    /// predict the bytes on the wire (RFC 6455 section 10.3).
    private func nextKey() -> MaskingKey? {
        var generator = SystemRandomNumberGenerator()
        return settings.role == .client ? MaskingKey(word: generator.next()) : nil
    }
}

/// Holds the reader of a connection that is not idle.
private final class MessageProgress {
    var reader: MessageReader

    init(_ reader: MessageReader) { self.reader = reader }
}
