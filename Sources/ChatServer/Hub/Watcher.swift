// A subscriber: a connection, as the hub sees it.

package import ChatProtocol
package import Networking

/// What a frame says.
package enum FrameKind: Sendable {
    /// A durable event.
    case durable
    /// That an answer grew by this.
    case text(MessageDelta)
    /// What counts at this moment alone.
    case fleeting
}

/// A connection that frames can be sent to. Lives on the hub's loop.
package protocol Watcher: AnyObject {
    /// Sends a frame that was encoded once for all.
    func send(_ frame: SharedBytes)
    /// Sends a frame about a conversation that it is subscribed to; unless a subscriber says otherwise,
    /// as any other.
    func tell(_ frame: SharedBytes, _ kind: FrameKind)
    /// Whether frames pile up because the reader takes them slowly.
    var isSlow: Bool { get }
    /// Whether so many have piled up that the reader must begin again.
    var isStuck: Bool { get }
}

extension Watcher {
    package func tell(_ frame: SharedBytes, _ kind: FrameKind) { send(frame) }
}

/// One connection's subscription to one conversation.
final class Watch {
    /// The connection; the hub does not keep it alive.
    weak var watcher: (any Watcher)?
    /// The last durable event that the subscriber has; nil until its snapshot was read.
    var seen: Int64?
    /// Durable events that came while the snapshot was being read.
    var held: [(n: Int64, frame: SharedBytes, isEnd: Bool)] = []
    /// For each answer that the subscriber fell behind in: the byte up to which it has the text.
    var behind: [MessageID: Int] = [:]

    init(_ watcher: any Watcher) {
        self.watcher = watcher
    }
}
