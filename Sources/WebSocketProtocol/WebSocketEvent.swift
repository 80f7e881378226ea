// Events of a connection.

/// A whole message or a control frame.
public enum WebSocketEvent: Sendable, Hashable {
    /// A text message; its bytes are valid UTF-8.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// A ping: reply with `sendPong` and the same bytes.
    case ping([UInt8])
    /// A pong. The bytes are those of the ping that it replies to, if any.
    case pong([UInt8])
    /// A close frame: reply with `sendClose` and the same code; nil if it has none.
    case close(WebSocketCloseCode?, reason: String)
}
