// The handlers of the two paths. One handler serves all connections of a loop.

import Gateway
import Networking
import WebSocketProtocol

/// Echoes every message. Reading from a client is paused while it does not read its replies.
final class EchoHandler: WebSocketStreamHandler {
    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        webSocket.send(message)
        if webSocket.stream.isAboveHighMark { webSocket.stream.pauseReading() }
    }

    func webSocketDrained(_ webSocket: WebSocketStream) { webSocket.stream.resumeReading() }
}

/// Sends every message to all clients, including the sender. A client that does not read is closed
/// when its queue is full. Reading from a client is paused while it sends more than the other loops
/// can forward.
final class BroadcastHandler: WebSocketStreamHandler {
    let topic: Topic
    private let relay: BroadcastRelay

    init(_ topic: Topic, _ relay: BroadcastRelay) {
        self.topic = topic
        self.relay = relay
    }

    func webSocketOpened(_ webSocket: WebSocketStream) { topic.join(webSocket) }

    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        topic.publish(message)
        relay.pause(webSocket.stream)
    }

    func webSocketClosed(_ webSocket: WebSocketStream) {
        topic.leave(webSocket)
        relay.remove(webSocket.stream)
    }
}
