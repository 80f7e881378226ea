// Close codes, RFC 6455 section 7.4 and IANA's registry.

/// A close code.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// Creates a code; it need not be one that may be sent.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The number as text.
    public var description: String { "\(rawValue)" }

    /// Whether the code is allowed in a close frame: assigned codes except those for local use
    /// (1005, 1006, 1015), those of libraries (3000-3999), and private ones (4000-4999).
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// 1000: the purpose is fulfilled.
    public static let normal = Self(rawValue: 1000)
    /// 1001: the server is shutting down, or the user left the page.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: protocol error.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: a type of message that is not supported.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1007: text that is not UTF-8.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: the message violates a policy.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: the message is too big.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1011: internal error.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: the server restarts; reconnect.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: the server is overloaded; retry later.
    public static let tryAgainLater = Self(rawValue: 1013)
}
