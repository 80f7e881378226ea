// Why the server closes a WebSocket. The range says what the client should do: 1001, 1012 and
// 4000-4099 reconnect, 4100-4199 sign in first, 4200-4299 do not reconnect.

/// A close code of RFC 6455, section 7.4, or of protocol v1.
public enum CloseCode: UInt16, Sendable, CaseIterable {
    /// The server shuts down.
    case goingAway = 1001
    /// Binary frames are not supported.
    case unsupportedData = 1003
    /// The server restarts: reconnect soon.
    case serviceRestart = 1012
    /// No frame was received within the idle timeout.
    case idle = 4000
    /// Slow consumer: the client did not read fast enough.
    case tooSlow = 4001
    /// The user's rights on the server have changed: reconnect to get the new ones.
    case rightsChanged = 4002
    /// No valid token was received in time.
    case unauthenticated = 4100
    /// The session was revoked.
    case sessionEnded = 4101
    /// The client continued after errors that asked it to stop.
    case misbehaved = 4200
    /// The share link of this connection is no longer valid.
    case linkEnded = 4201

    /// What the client should do next.
    public var advice: ReconnectAdvice { ReconnectAdvice(code: rawValue) }
}

/// What a client should do after a close code.
public enum ReconnectAdvice: Sendable, Hashable {
    /// Reconnect, with backoff and jitter.
    case reconnect
    /// Sign in, then reconnect.
    case signIn
    /// Do not reconnect.
    case stayAway

    /// The advice for a close code's range. A connection that ended without a code (1005, 1006)
    /// should reconnect.
    public init(code: UInt16) {
        switch code {
        case 4100...4199: self = .signIn
        case 4200...4299, 1002, 1003, 1007, 1008, 1009: self = .stayAway
        default: self = .reconnect
        }
    }
}
