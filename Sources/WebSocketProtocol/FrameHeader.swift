// Frame headers, RFC 6455 section 5.2: 2 to 14 bytes, each checked on arrival.

/// A frame header that is valid by itself. The connection checks whether the frame is allowed in
/// its state.
struct FrameHeader {
    var isFinal: Bool
    /// Whether it begins a compressed message.
    var isCompressed: Bool
    var opcode: WebSocketOpcode
    /// Payload bytes.
    var length: Int
    var key: MaskingKey?
}

/// Parses a header incrementally.
struct FrameHeaderReader {
    /// Whether frames must be masked: true for those of clients, false for those of servers.
    let expectsMask: Bool
    /// Whether compressed messages are allowed.
    let allowsCompressed: Bool
    private var bytes = InlineArray<14, UInt8>(repeating: 0)
    private var count = 0

    init(expectsMask: Bool, allowsCompressed: Bool) {
        self.expectsMask = expectsMask
        self.allowsCompressed = allowsCompressed
    }

    /// Whether no byte of a header has arrived.
    var isEmpty: Bool { count == 0 }

    /// Consumes bytes of `input` up to the end of the header; nil if more are needed.
    mutating func read(
        from input: inout UnsafeRawBufferPointer
    ) throws(WebSocketError) -> FrameHeader? {
        var taken = 0
        while count < 2 || count < byteCount {
            guard taken < input.count else {
                input = UnsafeRawBufferPointer(rebasing: input[taken...])
                return nil
            }
            bytes[count] = input[taken]
            count += 1
            taken += 1
            if count <= 2 { try check() }
        }
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        let header = try parse()
        count = 0
        return header
    }

    private var shortLength: Int { Int(bytes[1] & 0x7F) }

    /// The number of bytes of the extended length.
    private var longLengthByteCount: Int {
        switch shortLength {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    /// The length of the whole header; needs its second byte.
    private var byteCount: Int { 2 + longLengthByteCount + (expectsMask ? 4 : 0) }

    /// Checks the latest byte, the first or the second.
    private func check() throws(WebSocketError) {
        if count == 1 {
            let opcode = WebSocketOpcode(rawValue: bytes[0] & 0xF)
            // RSV1 marks a compressed message and is only allowed in its first frame (RFC 7692
            // section 6).
            let begins = opcode == .text || opcode == .binary
            let allowed: UInt8 = allowsCompressed && begins ? WebSocketFrame.compressedBit : 0
            guard bytes[0] & 0x70 & ~allowed == 0 else { throw .reservedBitSet }
            guard let opcode else { throw .unknownOpcode }
            if opcode.isControl, bytes[0] & 0x80 == 0 { throw .fragmentedControlFrame }
        } else {
            let isMasked = bytes[1] & 0x80 != 0
            guard isMasked == expectsMask else {
                throw isMasked ? .maskedFrame : .unmaskedFrame
            }
            if bytes[0] & 0xF >= 8, shortLength > 125 { throw .controlFrameTooLong }
        }
    }

    private func parse() throws(WebSocketError) -> FrameHeader {
        guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0xF) else { throw .unknownOpcode }
        var length = UInt64(shortLength)
        if longLengthByteCount > 0 {
            length = 0
            for index in 2..<(2 + longLengthByteCount) {
                length = length << 8 | UInt64(bytes[index])
            }
            let isMinimal = length >= (longLengthByteCount == 2 ? 126 : 0x1_0000)
            guard isMinimal, length <= UInt64(Int.max) else { throw .malformedLength }
        }
        var key: MaskingKey?
        if expectsMask {
            let start = byteCount - 4
            var word: UInt32 = 0
            for index in 0..<4 { word |= UInt32(bytes[start + index]) << UInt32(8 * index) }
            key = MaskingKey(word: word)
        }
        return FrameHeader(
            isFinal: bytes[0] & 0x80 != 0,
            isCompressed: bytes[0] & WebSocketFrame.compressedBit != 0,
            opcode: opcode,
            length: Int(length),
            key: key
        )
    }
}
