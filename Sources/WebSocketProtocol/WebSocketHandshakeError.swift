// What a client may find wrong with a server's answer to its handshake.

public import HTTPProtocol

/// Why a server's answer doesn't open a WebSocket.
public enum WebSocketHandshakeError: Error, Sendable, Hashable {
    /// Another status than 101: the response's body may say more.
    case refused(HTTPStatus)
    /// 101 without the fields that belong to it, or with a wrong accept key: something in between
    /// answered that knows no WebSockets.
    case malformed
    /// A subprotocol that was not offered, or none although some were.
    case wrongSubprotocol
    /// An extension that was not offered, or not like this.
    case wrongExtension
}
