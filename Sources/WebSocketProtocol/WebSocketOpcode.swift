// Opcodes, RFC 6455 section 5.2.

/// The opcode of a frame.
package enum WebSocketOpcode: UInt8, Sendable, Hashable {
    /// The next fragment of the message in progress.
    case continuation = 0
    /// A text message, or its first fragment.
    case text = 1
    /// A binary message, or its first fragment.
    case binary = 2
    /// The sender will send nothing more.
    case close = 8
    /// Asks the other side for a pong.
    case ping = 9
    /// The reply to a ping, or an unsolicited heartbeat.
    case pong = 10

    /// Whether it is a control frame. These are short, never fragmented, and allowed between the
    /// fragments of a message.
    var isControl: Bool { rawValue >= 8 }
}
