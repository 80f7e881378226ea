// Publish/subscribe. Messages published in a turn are encoded once and sent to each subscriber as
// one piece at the end of the turn: ten messages to a thousand subscribers are a thousand queue
// entries and system calls, not ten thousand. They are compressed once for each negotiated window
// size.

public import EventLoop
public import Networking
public import WebSocketProtocol

/// The subscribers of one loop; all get every published message.
public final class Topic {
    /// Called once in each turn in which messages were published, with all frames, to forward them
    /// to subscribers on other loops.
    public var forward: (SharedBytes) -> Void = { _ in }

    private let loop: EventLoop
    private let compression: FrameCompression
    private var members: [ObjectIdentifier: WebSocketStream] = [:]
    /// The frames published in this turn.
    private var frames: [UInt8] = []

    /// Creates a topic without members; `compression` must belong to the same loop.
    public init(loop: EventLoop, compression: FrameCompression) {
        self.loop = loop
        self.compression = compression
    }

    /// The number of members.
    public var memberCount: Int { members.count }

    /// Adds `webSocket`.
    public func join(_ webSocket: WebSocketStream) {
        members[ObjectIdentifier(webSocket)] = webSocket
    }

    /// Removes `webSocket`.
    public func leave(_ webSocket: WebSocketStream) {
        members[ObjectIdentifier(webSocket)] = nil
    }

    /// Sends a copy of `message` to every member at the end of this turn.
    public func publish(_ message: WebSocketMessage) {
        if frames.isEmpty { loop.atEndOfTurn(call: self) }
        message.withFrameHeader { frames.append(contentsOf: $0) }
        frames.append(contentsOf: message.bytes)
    }

    /// Sends frames that were published on another loop to every member.
    public func deliver(_ frames: SharedBytes) {
        for webSocket in members.values {
            webSocket.sendNow(frames, compression, amongStreams: members.count)
        }
    }
}

extension Topic: TurnEndHandler {
    /// Sends the messages published in this turn.
    package func turnEnded() {
        let published = SharedBytes(frames)
        frames = []
        deliver(published)
        forward(published)
    }
}
