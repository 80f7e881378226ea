// A message whose bytes are lent, and the header that sends it on: nothing is copied on the way from
// the bytes that were received to the bytes that are sent.

/// A whole text or binary message. Its bytes belong to somebody else: whoever hands it over says for
/// how long they are valid.
public struct WebSocketMessage {
    /// Whether it is a text message; its bytes are valid UTF-8 then.
    public let isText: Bool
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer

    /// A message of `bytes`, which have to be UTF-8 where it is a text.
    public init(isText: Bool, bytes: UnsafeRawBufferPointer) {
        self.isText = isText
        self.bytes = bytes
    }

    /// Calls `body` with the header of a server's frame that holds this message: the frame is that
    /// header and the message's bytes. Send it only on connections that are open.
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

/// How a message leaves a connection.
public enum WebSocketDeparture {
    /// Not at all: a side has closed.
    case closed
    /// Behind `WebSocketMessage.withFrameHeader`'s header.
    case asItIs
    /// Compressed, through the connection's `send`.
    case compressed
}

/// What a client's bytes brought where they may be read in place.
public enum WebSocketInput {
    /// A message that lay whole in the received bytes; it lies there still, unmasked.
    case message(WebSocketMessage)
    /// Anything else, and messages that arrived in parts.
    case event(WebSocketEvent)
}
