// What a peer's frames mean.

/// A whole message or a control frame.
public enum WebSocketEvent: Sendable, Hashable {
    /// A text message; its bytes are valid UTF-8.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// The peer asks whether we are there: answer with `sendPong` and the same bytes.
    case ping([UInt8])
    /// The peer is there. The bytes are those of the ping that it answers, if it answers one.
    case pong([UInt8])
    /// The peer will send nothing more: answer with `sendClose` and the same code. Nil: it gave
    /// none.
    case close(WebSocketCloseCode?, reason: String)
}
