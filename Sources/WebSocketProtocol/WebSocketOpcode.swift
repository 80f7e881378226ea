// What a frame is, RFC 6455 section 5.2.

/// A frame's kind.
package enum WebSocketOpcode: UInt8, Sendable, Hashable {
    /// The next fragment of the message that is under way.
    case continuation = 0
    /// A text message, or its first fragment.
    case text = 1
    /// A binary message, or its first fragment.
    case binary = 2
    /// The sender will send nothing more.
    case close = 8
    /// A question whether the other side is there.
    case ping = 9
    /// The answer, or a sign of life.
    case pong = 10

    /// Control frames may stand between the fragments of a message. They are short and whole.
    var isControl: Bool { rawValue >= 8 }
}
