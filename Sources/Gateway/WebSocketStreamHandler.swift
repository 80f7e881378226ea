// Who gets the messages of a WebSocket.

public import WebSocketProtocol

/// Told by a WebSocket what happens on it, synchronously, on the loop's thread. One handler may serve any
/// number of WebSockets: each call says which one it is about.
public protocol WebSocketStreamHandler: AnyObject {
    /// Where control frames and ends are counted; nil, the default, where nobody asks for them.
    var webSocketFigures: WebSocketFigures? { get }

    /// The WebSocket has begun: the first call.
    func webSocketOpened(_ webSocket: WebSocketStream)

    /// A whole message has come. Its bytes are valid during the call only.
    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage)

    /// So much waited to be sent that `isAboveHighMark` was true, and that has gone.
    func webSocketDrained(_ webSocket: WebSocketStream)

    /// The peer has said that it sends nothing more. Its answer is on its way; nothing else is sent.
    func webSocketReceivedClose(_ webSocket: WebSocketStream)

    /// The peer has broken the protocol, or gone over a limit. It is told, and nothing more is read.
    func webSocketFailed(_ webSocket: WebSocketStream, _ error: WebSocketError)

    /// Nothing has come for `KeepAlive.silenceMax`.
    func webSocketFellSilent(_ webSocket: WebSocketStream)

    /// The connection is gone: the last call, made exactly once, at the end of a turn.
    func webSocketClosed(_ webSocket: WebSocketStream)
}

extension WebSocketStreamHandler {
    /// None.
    public var webSocketFigures: WebSocketFigures? { nil }
    /// Does nothing.
    public func webSocketOpened(_ webSocket: WebSocketStream) {}
    /// Does nothing.
    public func webSocketDrained(_ webSocket: WebSocketStream) {}
    /// Does nothing.
    public func webSocketReceivedClose(_ webSocket: WebSocketStream) {}
    /// Does nothing.
    public func webSocketFailed(_ webSocket: WebSocketStream, _ error: WebSocketError) {}
    /// Says goodbye.
    public func webSocketFellSilent(_ webSocket: WebSocketStream) { webSocket.close(.goingAway) }
    /// Does nothing.
    public func webSocketClosed(_ webSocket: WebSocketStream) {}
}
