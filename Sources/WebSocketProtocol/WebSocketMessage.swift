// A message that borrows its bytes, and its frame header: bytes are forwarded without a copy.

/// A complete text or binary message. It does not own its bytes: the function that passes it
/// defines how long they are valid.
public struct WebSocketMessage {
    /// Whether it is a text message, whose bytes are valid UTF-8.
    public let isText: Bool
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer
    /// Whether `bytes` are compressed: only in a message to send.
    let isCompressed: Bool

    /// Creates a message of `bytes`, which must be UTF-8 for a text message.
    public init(isText: Bool, bytes: UnsafeRawBufferPointer) {
        self.init(isText: isText, bytes: bytes, isCompressed: false)
    }

    init(isText: Bool, bytes: UnsafeRawBufferPointer, isCompressed: Bool) {
        self.isText = isText
        self.bytes = bytes
        self.isCompressed = isCompressed
    }

    /// Calls `body` with the header of a server's frame for this message; the frame is that header
    /// and the message's bytes. Send it only on open connections.
    public func withFrameHeader(_ body: (UnsafeRawBufferPointer) -> Void) {
        let opcode = isText ? WebSocketOpcode.text : WebSocketOpcode.binary
        var header = InlineArray<10, UInt8>(repeating: 0)
        var byteCount = 2
        header[0] = 0x80 | opcode.rawValue | (isCompressed ? WebSocketFrame.compressedBit : 0)
        switch bytes.count {
        case ...125:
            header[1] = UInt8(bytes.count)
        case ...0xFFFF:
            header[1] = 126
            byteCount = 4
        default:
            header[1] = 127
            byteCount = 10
        }
        for index in 2..<byteCount {
            header[index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * (byteCount - 1 - index)))
        }
        withUnsafeBytes(of: header) { whole in
            body(UnsafeRawBufferPointer(rebasing: whole[..<byteCount]))
        }
    }
}

/// The frame of a message to send.
public enum WebSocketSending {
    /// None: either side has closed.
    case closed
    /// The header of `WebSocketMessage.withFrameHeader` and the bytes of this message: the one that
    /// is sent, or its compressed form, which is valid until the loop's next message.
    case borrowed(WebSocketMessage)
    /// This frame, of a connection that compresses with context takeover.
    case frame([UInt8])
}

/// An event of a server connection that parses in place.
public enum WebSocketInput {
    /// A message that was received completely; unmasked in the read buffer.
    case message(WebSocketMessage)
    /// Any other event, and messages that arrived in parts.
    case event(WebSocketEvent)
}
