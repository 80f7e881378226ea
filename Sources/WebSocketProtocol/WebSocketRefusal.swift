// Refusals of a server's handshake.

public import HTTPProtocol

/// Why a server refuses a handshake.
public enum WebSocketRefusal: Error, Sendable, Hashable {
    /// An ordinary request for a WebSocket endpoint.
    case notAnUpgrade
    /// A handshake for another version than 13.
    case unsupportedVersion
    /// A handshake with a wrong method, HTTP version, `Connection`, key or list of extensions, or with
    /// content.
    case malformed

    /// The response to send.
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
