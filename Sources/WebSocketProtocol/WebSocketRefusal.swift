// How a server says that a request won't become a WebSocket.

public import HTTPProtocol

/// Why a request is no handshake that can be accepted.
public enum WebSocketRefusal: Error, Sendable, Hashable {
    /// An ordinary request for what is only there as a WebSocket.
    case notAnUpgrade
    /// A handshake for another version than 13.
    case unsupportedVersion
    /// A handshake with a wrong method, HTTP version, `Connection`, key or list of extensions, or with
    /// content.
    case malformed

    /// The response that says so.
    public var response: HTTPResponseHead {
        switch self {
        case .notAnUpgrade:
            HTTPResponseHead(
                .upgradeRequired,
                headers: [.upgrade: "websocket", .connection: "Upgrade"]
            )
        case .unsupportedVersion:
            HTTPResponseHead(
                .upgradeRequired,
                headers: [
                    .upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13",
                ]
            )
        case .malformed:
            HTTPResponseHead(.badRequest)
        }
    }
}
