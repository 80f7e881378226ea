// Why the server closes a WebSocket. The range says what to do: 1001, 1012 and 4000-4099 reconnect,
// 4100-4199 sign in first, 4200-4299 don't come back.

/// A close code of RFC 6455, section 7.4, or of protocol v1.
public enum CloseCode: UInt16, Sendable, CaseIterable {
    /// The server is going away for good.
    case goingAway = 1001
    /// Binary frames are not part of the protocol.
    case unsupportedData = 1003
    /// The server restarts: come back soon.
    case serviceRestart = 1012
    /// No frame came for too long.
    case idle = 4000
    /// The reader took too little for too long.
    case tooSlow = 4001
    /// What the user may do on the server has changed: come back to be told.
    case rightsChanged = 4002
    /// No valid token came in time.
    case unauthenticated = 4100
    /// The session was ended elsewhere.
    case sessionEnded = 4101
    /// The client went on after errors that told it to stop.
    case misbehaved = 4200
    /// The link that the connection reads by is good no more.
    case linkEnded = 4201

    /// What the client should do next.
    public var advice: ReconnectAdvice { ReconnectAdvice(code: rawValue) }
}

/// What a close code asks of a client.
public enum ReconnectAdvice: Sendable, Hashable {
    /// Come back, with back-off and jitter.
    case reconnect
    /// Sign in, then come back.
    case signIn
    /// Don't come back.
    case stayAway

    /// Reads the advice out of a close code's range; a connection that ended without one (1005,
    /// 1006) is worth coming back to.
    public init(code: UInt16) {
        switch code {
        case 4100...4199: self = .signIn
        case 4200...4299, 1002, 1003, 1007, 1008, 1009: self = .stayAway
        default: self = .reconnect
        }
    }
}
