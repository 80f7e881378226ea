// What WebSockets do beside carrying messages, counted on their loop in plain numbers: control frames, and how
// they end. Nothing of it is on a message's path.

public import WebSocketProtocol

/// How a WebSocket ended, as far as that is told apart.
public struct WebSocketEnd: Sendable, Hashable {
    /// Who sent the first close frame.
    public enum Side: Sendable, Hashable {
        /// We did, also where the peer broke the protocol.
        case here
        /// The other end did.
        case peer
        /// Nobody: the connection was cut off, by either side or in between.
        case neither
    }

    /// Who closed.
    public let side: Side

    /// The frame's code: 1005 where it had none, 1006 where there was no frame, as RFC 6455 section 7.4.1
    /// has it. Nil for the codes from 3000 on of a peer's, lest it should make up figures.
    public let code: WebSocketCloseCode?

    /// Nobody sent a close frame.
    public static let cutOff = WebSocketEnd(.neither, WebSocketCloseCode(rawValue: 1006))

    /// The end by a close frame of `side` with `code`.
    public init(_ side: Side, _ code: WebSocketCloseCode?) {
        let code = code ?? WebSocketCloseCode(rawValue: 1005)
        self.side = side
        self.code = side == .peer && code.rawValue >= 3000 ? nil : code
    }
}

/// What is counted of the WebSockets whose handlers name it. Lives on their loop.
public final class WebSocketFigures {
    /// How many have ended how; each counts once.
    public private(set) var ends: [WebSocketEnd: Int] = [:]
    /// Pings from peers.
    public internal(set) var pingsReceived = 0
    /// Pongs from peers, asked for or not.
    public internal(set) var pongsReceived = 0
    /// Close frames from peers.
    public internal(set) var closesReceived = 0
    /// Pings to peers.
    public internal(set) var pingsSent = 0
    /// Pongs to peers.
    public internal(set) var pongsSent = 0
    /// Close frames to peers.
    public internal(set) var closesSent = 0
    /// WebSockets that were cut off as more would have waited for their readers than may.
    public internal(set) var overflowCount = 0

    /// Nothing counted yet.
    public init() {}

    func count(_ end: WebSocketEnd) { ends[end, default: 0] += 1 }
}
