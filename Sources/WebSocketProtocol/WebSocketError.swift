// What a peer can do wrong in frames, and the code that it is told.

/// Frames that break RFC 6455 or go over a limit. Nothing more can be read from a connection that
/// threw one.
public enum WebSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A reserved bit is set, and no extension was agreed on that gives it a meaning.
    case reservedBitSet
    /// The frame's kind is not one of the six.
    case unknownOpcode
    /// A client's frame without a mask.
    case unmaskedFrame
    /// A server's frame with a mask.
    case maskedFrame
    /// A control frame in fragments.
    case fragmentedControlFrame
    /// A control frame with more than 125 bytes.
    case controlFrameTooLong
    /// A length in more bytes than it needs, or above 2^63.
    case malformedLength
    /// A continuation with no message under way.
    case unexpectedContinuation
    /// A new message before the last fragment of the one before.
    case expectedContinuation
    /// A close frame with a single byte, or a code that can't be sent.
    case malformedClose
    /// A compressed message that cannot be unpacked, or ends too early.
    case malformedCompression
    /// A text or a close reason that is not UTF-8.
    case invalidUTF8
    /// A frame above `WebSocketLimits.frameBytesMax`.
    case frameTooLarge
    /// A message above `WebSocketLimits.messageBytesMax`.
    case messageTooLarge
    /// A message in more fragments than `WebSocketLimits.fragmentCountMax`.
    case tooManyFragments
    /// There was no memory to unpack a message; the peer did nothing wrong.
    case outOfMemory

    /// The code of the close frame that tells the peer.
    public var closeCode: WebSocketCloseCode {
        switch self {
        case .reservedBitSet, .unknownOpcode, .unmaskedFrame, .maskedFrame,
            .fragmentedControlFrame, .controlFrameTooLong, .malformedLength,
            .unexpectedContinuation, .expectedContinuation, .malformedClose:
            .protocolError
        case .invalidUTF8, .malformedCompression: .invalidPayload
        case .frameTooLarge, .messageTooLarge, .tooManyFragments: .messageTooBig
        case .outOfMemory: .internalError
        }
    }

    /// A short text for the close frame and the log.
    public var description: String {
        switch self {
        case .reservedBitSet: "reserved bit set"
        case .unknownOpcode: "unknown opcode"
        case .unmaskedFrame: "frame without mask"
        case .maskedFrame: "frame with mask"
        case .fragmentedControlFrame: "control frame in fragments"
        case .controlFrameTooLong: "control frame too long"
        case .malformedLength: "malformed length"
        case .unexpectedContinuation: "unexpected continuation"
        case .expectedContinuation: "expected continuation"
        case .malformedClose: "malformed close frame"
        case .malformedCompression: "malformed compression"
        case .invalidUTF8: "invalid UTF-8"
        case .frameTooLarge: "frame too large"
        case .messageTooLarge: "message too large"
        case .tooManyFragments: "too many fragments"
        case .outOfMemory: "out of memory"
        }
    }
}
