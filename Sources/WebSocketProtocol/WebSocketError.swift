// Protocol errors of a peer and their close codes.

/// A violation of RFC 6455 or a limit. After an error nothing more can be read from the connection.
public enum WebSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A reserved bit is set that no negotiated extension uses.
    case reservedBitSet
    /// An unknown opcode.
    case unknownOpcode
    /// A client's frame without a mask.
    case unmaskedFrame
    /// A server's frame with a mask.
    case maskedFrame
    /// A fragmented control frame.
    case fragmentedControlFrame
    /// A control frame with more than 125 bytes.
    case controlFrameTooLong
    /// A length that is not minimally encoded, or above 2^63.
    case malformedLength
    /// A continuation frame without a message in progress.
    case unexpectedContinuation
    /// A new message before the last fragment of the previous one.
    case expectedContinuation
    /// A close frame with one byte of payload, or a code that must not be sent.
    case malformedClose
    /// A compressed message that cannot be decompressed or is truncated.
    case malformedCompression
    /// A text or a close reason that is not UTF-8.
    case invalidUTF8
    /// A frame above `WebSocketLimits.frameBytesMax`.
    case frameTooLarge
    /// A message above `WebSocketLimits.messageBytesMax`.
    case messageTooLarge
    /// A message in more fragments than `WebSocketLimits.fragmentCountMax`.
    case tooManyFragments
    /// Memory for decompression is exhausted; the peer did nothing wrong.
    case outOfMemory

    /// The close code to send.
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
