// Those who get the same frames. What is published in one turn is encoded once and handed to everyone
// as one piece at the turn's end: ten frames to a thousand readers are a thousand entries in write
// queues and a thousand system calls, not ten thousand of each. They are compressed once for each size
// of window that was agreed on with readers.

public import EventLoop
public import Networking
public import WebSocketProtocol

/// A set of WebSockets of one loop that all get what is published.
public final class Topic {
    /// Told once in each turn in which something was published, with all of its frames: hands them to
    /// the members on other loops.
    public var forward: (SharedBytes) -> Void = { _ in }

    private let loop: EventLoop
    private let compression: FrameCompression
    private var members: [ObjectIdentifier: WebSocketStream] = [:]
    /// The frames of this turn.
    private var frames: [UInt8] = []

    /// A topic without members; `compression` is of the same loop.
    public init(loop: EventLoop, compression: FrameCompression) {
        self.loop = loop
        self.compression = compression
    }

    /// How many members there are.
    public var memberCount: Int { members.count }

    /// Takes `webSocket` in, until it leaves.
    public func join(_ webSocket: WebSocketStream) {
        members[ObjectIdentifier(webSocket)] = webSocket
    }

    /// Lets `webSocket` go.
    public func leave(_ webSocket: WebSocketStream) {
        members[ObjectIdentifier(webSocket)] = nil
    }

    /// Sends a copy of `message` to every member at the end of this turn.
    public func publish(_ message: WebSocketMessage) {
        if frames.isEmpty { loop.atEndOfTurn(tell: self) }
        message.withFrameHeader { frames.append(contentsOf: $0) }
        frames.append(contentsOf: message.bytes)
    }

    /// Sends frames that were published on another loop to every member.
    public func deliver(_ frames: SharedBytes) {
        for webSocket in members.values { webSocket.sendNow(frames, compression) }
    }
}

extension Topic: TurnEndHandler {
    /// Sends what was published in this turn.
    package func turnEnded() {
        let published = SharedBytes(frames)
        frames = []
        deliver(published)
        forward(published)
    }
}
