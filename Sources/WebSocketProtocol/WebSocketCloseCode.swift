// Why a connection was closed, RFC 6455 section 7.4 and IANA's registry.

/// A close code.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// The code with this number, whether it may be sent or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The number as text.
    public var description: String { "\(rawValue)" }

    /// Whether the code may stand in a close frame: assigned ones but for those that only describe
    /// what was seen locally (1005, 1006, 1015), libraries' (3000-3999) and private ones
    /// (4000-4999).
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
    /// 1002: the peer broke the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: a kind of message that isn't taken here.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1007: text that is not UTF-8.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: against a rule of ours.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: a message over the limit.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1011: something failed here.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: the server restarts; come back.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: too busy; come back later.
    public static let tryAgainLater = Self(rawValue: 1013)
}
