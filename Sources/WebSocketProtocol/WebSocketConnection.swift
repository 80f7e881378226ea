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

    private let role: Role
    let limits: WebSocketLimits
    private var closing = Closing.notYet
    var hasFailed = false

    private var headerReader: FrameHeaderReader
    /// The frame whose payload is being received, and the number of its bytes received.
    private var frame: FrameHeader?
    private var frameByteCount = 0

    /// The opcode of the message in progress, from its first to its last fragment.
    private var messageOpcode: WebSocketOpcode?
    private var message: [UInt8] = []
    private var isCompressed = false
    private var fragmentCount = 0
    private var validator = UTF8Validator()
    /// The payload of a control frame; separate, since control frames are allowed between
    /// fragments.
    private var controlPayload: [UInt8] = []
    /// The negotiated compression, if any.
    private(set) var compression: MessageCompression?

    private var generator = SystemRandomNumberGenerator()

    /// Creates a connection after its handshake, with the negotiated compression, for which it uses
    /// the loop's `states` if there are any and no context is kept.
    public init(
        role: Role,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: PerMessageDeflate? = nil,
        states: CompressionStates? = nil
    ) {
        self.role = role
        self.limits = limits
        self.compression = compression.map { MessageCompression($0, states) }
        self.headerReader = FrameHeaderReader(
            expectsMask: role == .server,
            allowsCompressed: compression != nil
        )
    }

    /// Whether messages can be sent: neither side has closed. Check it before writing a shared
    /// frame.
    public var isOpen: Bool { closing == .notYet && !hasFailed }

    /// Whether the next byte starts a client's frame, and no message is in progress.
    var isBetweenMessages: Bool {
        role == .server && isOpen && frame == nil && messageOpcode == nil && headerReader.isEmpty
    }

    /// The frame of a server's `message`, compressed if that was negotiated and makes it smaller.
    public mutating func sending(_ message: WebSocketMessage) -> WebSocketSending {
        guard isOpen else { return .closed }
        guard let agreed = compression?.agreed, agreed.compresses(byteCount: message.bytes.count)
        else { return .borrowed(message) }
        guard let states = compression?.statesOfSent,
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
        guard let agreed = compression?.agreed,
            agreed.windowBits >= PerMessageDeflate.windowBitsMin
        else { return nil }
        return agreed.windowBits
    }

    /// Call it after writing frames of a `SharedCompressor` to the peer: it resets the connection's
    /// own compression context.
    public mutating func sharedFramesWereSent() { compression?.resetContext() }

    /// Whether the close handshake is complete. A server closes the stream after its output has
    /// been sent; a client waits for some time for the server to do so.
    public var isClosed: Bool { closing == .done }

    /// The number of buffered bytes of an incomplete message.
    public var bufferedByteCount: Int { message.count }

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
        do {
            return try advance(&bytes)
        } catch {
            hasFailed = true
            message = []
            compression?.end()
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            throw error
        }
    }

    private mutating func advance(
        _ bytes: inout UnsafeRawBufferPointer
    ) throws(WebSocketError) -> WebSocketEvent? {
        while true {
            guard let frame else {
                guard let header = try headerReader.read(from: &bytes) else { return nil }
                try begin(header, available: bytes.count)
                continue
            }
            let count = min(frame.length - frameByteCount, bytes.count)
            try append(UnsafeRawBufferPointer(rebasing: bytes[..<count]), of: frame)
            bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
            guard frameByteCount == frame.length else { return nil }
            self.frame = nil
            frameByteCount = 0
            if let event = try finish(frame) { return event }
        }
    }

    /// Checks whether a frame with this header is allowed now.
    private mutating func begin(
        _ header: FrameHeader,
        available: Int
    ) throws(WebSocketError) {
        frame = header
        if header.opcode.isControl { return }
        if header.opcode == .continuation {
            guard messageOpcode != nil else { throw .unexpectedContinuation }
        } else {
            guard messageOpcode == nil else { throw .expectedContinuation }
            messageOpcode = header.opcode
            isCompressed = header.isCompressed
            fragmentCount = 0
        }
        fragmentCount += 1
        guard fragmentCount <= limits.fragmentCountMax else { throw .tooManyFragments }
        guard header.length <= limits.frameBytesMax else { throw .frameTooLarge }
        // Decompressed bytes are counted as they are produced.
        if isCompressed { return }
        guard header.length <= limits.messageBytesMax - message.count else {
            throw .messageTooLarge
        }
        // Room is made for what is here, not for what a header promises.
        if message.isEmpty, header.length <= available { message.reserveCapacity(header.length) }
    }

    /// Unmasks the next part of a frame's payload and appends it to the message or control payload.
    private mutating func append(
        _ part: UnsafeRawBufferPointer,
        of frame: FrameHeader
    ) throws(WebSocketError) {
        let offset = frameByteCount
        frameByteCount += part.count
        if frame.opcode.isControl {
            Self.append(part, to: &controlPayload, key: frame.key, offset: offset)
            return
        }
        if isCompressed {
            var compressed: [UInt8] = []
            Self.append(part, to: &compressed, key: frame.key, offset: offset)
            try decompress(compressed)
            return
        }
        let start = message.count
        Self.append(part, to: &message, key: frame.key, offset: offset)
        try validate(from: start)
    }

    /// Decompresses `compressed` into the message, up to the limit.
    private mutating func decompress(_ compressed: [UInt8]) throws(WebSocketError) {
        var rest = compressed[...]
        while true {
            let start = message.count
            let room = limits.messageBytesMax - start
            guard let piece = try compression?.decompress(&rest, room: room) else { return }
            message.append(contentsOf: piece.prefix(room))
            try validate(from: start)
            guard piece.count <= room else { throw .messageTooLarge }
        }
    }

    /// Validates the part of a text message from `start` on.
    private mutating func validate(from start: Int) throws(WebSocketError) {
        guard messageOpcode == .text else { return }
        let isValid = message.withUnsafeBytes { bytes in
            validator.accept(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        guard isValid else { throw .invalidUTF8 }
    }

    private static func append(
        _ part: UnsafeRawBufferPointer,
        to payload: inout [UInt8],
        key: MaskingKey?,
        offset: Int
    ) {
        let start = payload.count
        payload.append(contentsOf: part)
        guard let key else { return }
        payload.withUnsafeMutableBytes { bytes in
            key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), offset: offset)
        }
    }

    /// The event of a complete frame; nil for a fragment that is not the last.
    private mutating func finish(_ frame: FrameHeader) throws(WebSocketError) -> WebSocketEvent? {
        switch frame.opcode {
        case .continuation, .text, .binary:
            guard frame.isFinal else { return nil }
            if isCompressed {
                try decompress(MessageCompression.tail)
                try compression?.endMessage()
            }
            guard validator.isComplete else { throw .invalidUTF8 }
            let isText = messageOpcode == .text
            messageOpcode = nil
            let whole = Self.take(&message)
            return isText ? .text(whole) : .binary(whole)
        case .ping: return .ping(Self.take(&controlPayload))
        case .pong: return .pong(Self.take(&controlPayload))
        case .close:
            let event = try Self.closeEvent(Self.take(&controlPayload))
            compression?.end()
            closing = closing == .sent ? .done : .received
            return event
        }
    }

    private static func take(_ payload: inout [UInt8]) -> [UInt8] {
        let taken = payload
        payload = []
        return taken
    }

    private static func closeEvent(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketEvent {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { throw .malformedClose }
        let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { throw .malformedClose }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw .invalidUTF8
        }
        return .close(code, reason: reason)
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
        guard isOpen, let compressed = compression?.compress(message) else {
            return encode(opcode, message)
        }
        return WebSocketFrame.encode(opcode, compressed, isCompressed: true, key: nextKey())
    }

    private mutating func encode(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        isOpen ? WebSocketFrame.encode(opcode, payload, key: nextKey()) : []
    }

    /// A new random key for each client frame: whoever chooses the payload must not be able to
    /// predict the bytes on the wire (RFC 6455 section 10.3).
    private mutating func nextKey() -> MaskingKey? {
        role == .client ? MaskingKey(word: generator.next()) : nil
    }
}
