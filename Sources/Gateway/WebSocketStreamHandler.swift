// The handler of a WebSocket.

public import WebSocketProtocol

/// Receives the events of WebSockets synchronously on the loop's thread. One handler may serve many
/// WebSockets: each call names its own.
public protocol WebSocketStreamHandler: AnyObject {
    /// The counters for control frames and ends; nil, the default, if they are not needed.
    var webSocketFigures: WebSocketFigures? { get }

    /// The WebSocket is open: the first call.
    func webSocketOpened(_ webSocket: WebSocketStream)

    /// A complete message was received. Its bytes are valid only during the call.
    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage)

    /// The send queue is empty after `isAboveHighMark` was true.
    func webSocketDrained(_ webSocket: WebSocketStream)

    /// The peer has sent a close frame. The reply has been queued; nothing else is sent.
    func webSocketReceivedClose(_ webSocket: WebSocketStream)

    /// The peer has violated the protocol or a limit. A close frame has been queued, and nothing
    /// more is read.
    func webSocketFailed(_ webSocket: WebSocketStream, _ error: WebSocketError)

    /// Nothing was received for `KeepAlive.idleTimeout`.
    func webSocketTimedOut(_ webSocket: WebSocketStream)

    /// The connection is closed: the last call, made exactly once, at the end of a turn.
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
    /// Closes with code 1001.
    public func webSocketTimedOut(_ webSocket: WebSocketStream) { webSocket.close(.goingAway) }
    /// Does nothing.
    public func webSocketClosed(_ webSocket: WebSocketStream) {}
}
