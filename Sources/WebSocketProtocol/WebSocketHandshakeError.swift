// Errors of a client's handshake.

public import HTTPProtocol

/// Why a server's response does not open a WebSocket.
public enum WebSocketHandshakeError: Error, Sendable, Hashable {
    /// Another status than 101; the response's body may have the reason.
    case refused(HTTPStatus)
    /// 101 without the required fields or with a wrong accept key: the response may be from an
    /// intermediary that does not support WebSockets.
    case malformed
    /// A subprotocol that was not offered, or none although some were.
    case wrongSubprotocol
    /// An extension that was not offered, or with other parameters.
    case wrongExtension
}
