// A message that borrows its bytes, and its frame header: bytes are forwarded without a copy.

/// A complete text or binary message. It does not own its bytes: the function that passes it
/// defines how long they are valid.
public struct WebSocketMessage {
    /// Whether it is a text message, whose bytes are valid UTF-8.
    public let isText: Bool
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer

    /// Creates a message of `bytes`, which must be UTF-8 for a text message.
    public init(isText: Bool, bytes: UnsafeRawBufferPointer) {
        self.isText = isText
        self.bytes = bytes
    }

    /// Calls `body` with the header of a server's frame for this message; the frame is that header
    /// and the message's bytes. Send it only on open connections.
    public func withFrameHeader(_ body: (UnsafeRawBufferPointer) -> Void) {
        let opcode = isText ? WebSocketOpcode.text : WebSocketOpcode.binary
        var header = InlineArray<10, UInt8>(repeating: 0)
        var byteCount = 2
        header[0] = 0x80 | opcode.rawValue
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

/// How to send a message on a connection.
public enum WebSocketSendMode {
    /// Not at all: either side has closed.
    case closed
    /// Uncompressed, with the header of `WebSocketMessage.withFrameHeader`.
    case uncompressed
    /// With the connection's `send`, which compresses it.
    case compressed
}

/// An event of a server connection that parses in place.
public enum WebSocketInput {
    /// A message that was received completely; unmasked in the read buffer.
    case message(WebSocketMessage)
    /// Any other event, and messages that arrived in parts.
    case event(WebSocketEvent)
}
