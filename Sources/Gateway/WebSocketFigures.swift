// Counters of WebSocket control frames and closes, as plain integers on their loop. Messages are
// not counted here.

public import WebSocketProtocol

/// How a WebSocket ended.
public struct WebSocketEnd: Sendable, Hashable {
    /// Who sent the first close frame.
    public enum Side: Sendable, Hashable {
        /// This side, also after a protocol error of the peer.
        case here
        /// The peer.
        case peer
        /// Neither: the connection was lost.
        case neither
    }

    /// Who closed first.
    public let side: Side

    /// The close code: 1005 if the frame had none, 1006 without a frame (RFC 6455 section 7.4.1).
    /// Nil for a peer's codes from 3000 on, to bound the number of values.
    public let code: WebSocketCloseCode?

    /// The connection was lost without a close frame.
    public static let cutOff = WebSocketEnd(.neither, WebSocketCloseCode(rawValue: 1006))

    /// Creates an end by a close frame of `side` with `code`.
    public init(_ side: Side, _ code: WebSocketCloseCode?) {
        let code = code ?? WebSocketCloseCode(rawValue: 1005)
        self.side = side
        self.code = side == .peer && code.rawValue >= 3000 ? nil : code
    }
}

/// The counters of the WebSockets whose handlers return this object. Lives on their loop.
public final class WebSocketFigures {
    /// The number of ends of each kind; each WebSocket counts once.
    public private(set) var ends: [WebSocketEnd: Int] = [:]
    /// Received pings.
    public internal(set) var pingsReceived = 0
    /// Received pongs, solicited or not.
    public internal(set) var pongsReceived = 0
    /// Received close frames.
    public internal(set) var closesReceived = 0
    /// Sent pings.
    public internal(set) var pingsSent = 0
    /// Sent pongs.
    public internal(set) var pongsSent = 0
    /// Sent close frames.
    public internal(set) var closesSent = 0
    /// WebSockets closed because their send queue exceeded its limit.
    public internal(set) var overflowCount = 0

    /// Creates counters at zero.
    public init() {}

    func count(_ end: WebSocketEnd) { ends[end, default: 0] += 1 }
}
