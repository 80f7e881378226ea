// The receiving side of a connection: frames to messages. It exists only while a frame or message
// is incomplete, or while it is parsed: most connections are idle.

/// Reads frames, in any number of parts.
struct MessageReader {
    private let limits: WebSocketLimits
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
    var compression: MessageCompression?

    init(_ settings: WebSocketSettings, _ agreed: PerMessageDeflate?) {
        limits = settings.limits
        compression = agreed.map { MessageCompression($0, settings.states) }
        headerReader = FrameHeaderReader(
            expectsMask: settings.role == .server,
            allowsCompressed: agreed != nil
        )
    }

    /// Whether the next byte starts a frame, and no message is in progress.
    var isBetweenMessages: Bool { frame == nil && messageOpcode == nil && headerReader.isEmpty }

    /// Whether it holds nothing that later bytes or messages refer to.
    var isIdle: Bool { isBetweenMessages && compression?.holdsContext != true }

    /// The number of buffered bytes of an incomplete message.
    var bufferedByteCount: Int { message.count }

    /// Parses `bytes` up to the next event and consumes them; nil when all is consumed.
    mutating func next(
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
        case .close: return try Self.closeEvent(Self.take(&controlPayload))
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
}
