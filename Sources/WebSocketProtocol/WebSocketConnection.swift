// One WebSocket after its handshake, RFC 6455 sections 5 to 7: frames in, messages out, and the other
// way round. It knows no socket and no clock.
//
// Theory of operation. Received bytes are read where they lie: `receive` walks through them and stops
// at each event. Only what an event needs is copied out, so a small message in one read costs one
// allocation, its own; and none where the bytes may be written to (WebSocketConnection+InPlace.swift).
// `closing` says who has sent a close frame; after ours nothing is sent, after the peer's nothing is
// read.
//
// permessage-deflate (RFC 7692) stands between frame and message: in `append` for what comes in, which is
// unpacked as it arrives, and in `encodeMessage` for what goes out.

/// One side of an open WebSocket.
public struct WebSocketConnection: ~Copyable {
    /// Which side this is. Clients mask what they send, servers don't.
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
        /// Both have, or the peer broke the protocol.
        case done
    }

    private let role: Role
    let limits: WebSocketLimits
    private var closing = Closing.notYet
    var hasFailed = false

    private var headerReader: FrameHeaderReader
    /// The frame whose payload is being read, and how much of it has been.
    private var frame: FrameHeader?
    private var frameByteCount = 0

    /// The kind of the message that is under way, between its first fragment and its last.
    private var messageOpcode: WebSocketOpcode?
    private var message: [UInt8] = []
    private var isCompressed = false
    private var fragmentCount = 0
    private var validator = UTF8Validator()
    /// The payload of a control frame, apart since it may stand between two fragments.
    private var controlPayload: [UInt8] = []
    /// What was agreed on, if anything was.
    private var compression: MessageCompression?

    private var generator = SystemRandomNumberGenerator()

    /// A connection whose handshake is complete, with the compression that it has agreed on.
    public init(
        role: Role,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: PerMessageDeflate? = nil
    ) {
        self.role = role
        self.limits = limits
        self.compression = compression.map(MessageCompression.init)
        self.headerReader = FrameHeaderReader(
            expectsMask: role == .server,
            takesCompressed: compression != nil
        )
    }

    /// Whether messages can be sent: no side has closed. Check it before writing a shared frame.
    public var isOpen: Bool { closing == .notYet && !hasFailed }

    /// Whether the next byte begins a client's frame, and no message is under way.
    var isBetweenMessages: Bool {
        role == .server && isOpen && frame == nil && messageOpcode == nil && headerReader.isEmpty
    }

    /// How a server's message of so many bytes leaves.
    public func departure(byteCount: Int) -> WebSocketDeparture {
        guard isOpen else { return .closed }
        guard let compression else { return .asItIs }
        return compression.agreed.compresses(byteCount: byteCount) ? .compressed : .asItIs
    }

    /// The window for which a `SharedCompressor` may compress frames for this connection: its own, or
    /// a smaller one. Nil: it takes shared frames only as they are.
    public var sharedWindowBits: Int? {
        guard let agreed = compression?.agreed,
            agreed.windowBits >= PerMessageDeflate.windowBitsMin
        else { return nil }
        return agreed.windowBits
    }

    /// To be called when frames that a `SharedCompressor` has compressed are written to the peer: the
    /// next message of this connection's own refers to nothing before them.
    public mutating func sharedFramesWereSent() { compression?.forgetSent() }

    /// Whether all is said. A server closes the stream once what it has written is sent; a client
    /// waits, for a while, for the server to do so.
    public var isClosed: Bool { closing == .done }

    /// How many bytes are held of a message that has not come wholly.
    public var bufferedByteCount: Int { message.count }

    // MARK: Receiving

    /// Reads from the front of `bytes` up to the next event, and takes off what it has read. Call
    /// it until it returns nil: then all of `bytes` has been read.
    ///
    /// Once the peer has closed or broken the protocol, what it still sends is dropped.
    /// - Throws: what the peer did wrong. Send `sendClose(for:)`'s bytes and close the stream.
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

    /// Checks whether a frame with this header may come now.
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
        // What a packed frame holds is counted as it is unpacked.
        if isCompressed { return }
        guard header.length <= limits.messageBytesMax - message.count else {
            throw .messageTooLarge
        }
        // Room is made for what is here, not for what a header promises.
        if message.isEmpty, header.length <= available { message.reserveCapacity(header.length) }
    }

    /// Adds the next part of a frame's payload to what it belongs to, unmasked.
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
            var packed: [UInt8] = []
            Self.append(part, to: &packed, key: frame.key, offset: offset)
            try unpack(packed)
            return
        }
        let start = message.count
        Self.append(part, to: &message, key: frame.key, offset: offset)
        try validate(from: start)
    }

    /// Adds what `packed` unpacks to, up to the limit.
    private mutating func unpack(_ packed: [UInt8]) throws(WebSocketError) {
        var rest = packed[...]
        while true {
            let start = message.count
            let room = limits.messageBytesMax - start
            guard let piece = try compression?.decompress(&rest, room: room) else { return }
            message.append(contentsOf: piece.prefix(room))
            try validate(from: start)
            guard piece.count <= room else { throw .messageTooLarge }
        }
    }

    /// Checks what was added to a text, which begins at `start`.
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

    /// What a complete frame means: nil for a fragment that is not the last.
    private mutating func finish(_ frame: FrameHeader) throws(WebSocketError) -> WebSocketEvent? {
        switch frame.opcode {
        case .continuation, .text, .binary:
            guard frame.isFinal else { return nil }
            if isCompressed {
                try unpack(MessageCompression.tail)
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

    /// The frame of a text message; nothing, once either side has closed.
    public mutating func send(text: String) -> [UInt8] { send(text: Array(text.utf8)) }

    /// The frame of a text message, which has to be UTF-8; nothing, once either side has closed.
    public mutating func send(text: [UInt8]) -> [UInt8] { encodeMessage(.text, text) }

    /// The frame of a binary message; nothing, once either side has closed.
    public mutating func send(binary: [UInt8]) -> [UInt8] { encodeMessage(.binary, binary) }

    /// A ping; nothing, once either side has closed.
    /// - Precondition: `payload` has at most 125 bytes.
    public mutating func sendPing(_ payload: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= 125, "a control frame has at most 125 bytes")
        return encode(.ping, payload)
    }

    /// The answer to a ping, with its payload; nothing, once either side has closed.
    /// - Precondition: `payload` has at most 125 bytes.
    public mutating func sendPong(_ payload: [UInt8] = []) -> [UInt8] {
        precondition(payload.count <= 125, "a control frame has at most 125 bytes")
        return encode(.pong, payload)
    }

    /// A close frame, to begin closing or to answer the peer's; nothing, where one was sent before.
    /// The reason is cut to the 123 bytes that it may have.
    /// - Precondition: `code` may be sent. Nil sends none, and no reason.
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

    /// The close frame that tells the peer what `receive` threw; nothing, where one was sent before.
    /// Close the stream after it: the peer's close frame is not waited for.
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
        precondition(code.mayBeSent, "a close code that describes what was seen locally")
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
        guard isOpen, let packed = compression?.compress(message) else {
            return encode(opcode, message)
        }
        return WebSocketFrame.encode(opcode, packed, isCompressed: true, key: nextKey())
    }

    private mutating func encode(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        isOpen ? WebSocketFrame.encode(opcode, payload, key: nextKey()) : []
    }

    /// A new key for each of a client's frames, from the system's generator: no one who chooses the
    /// payload may know what will stand on the wire (RFC 6455 section 10.3).
    private mutating func nextKey() -> MaskingKey? {
        role == .client ? MaskingKey(word: generator.next()) : nil
    }
}
