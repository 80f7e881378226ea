// What the two paths do with messages. One handler serves all connections of a loop.

import Gateway
import Networking
import WebSocketProtocol

/// Returns every message. Who sends and does not read is read from no more until it does.
final class EchoHandler: WebSocketStreamHandler {
    func webSocket(_ webSocket: WebSocketStream, received message: WebSocketMessage) {
        webSocket.send(message)
        if webSocket.stream.isAboveHighMark { webSocket.stream.pauseReading() }
    }

    func webSocketDrained(_ webSocket: WebSocketStream) { webSocket.stream.resumeReading() }
}

/// Sends every message to everyone, also to who sent it. Who does not read is closed when its queue is
/// full. Who sends more than other loops take is read from no more until they do.
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
        relay.holdBack(webSocket.stream)
    }

    func webSocketClosed(_ webSocket: WebSocketStream) {
        topic.leave(webSocket)
        relay.forget(webSocket.stream)
    }
}
