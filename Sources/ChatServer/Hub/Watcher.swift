// A subscriber, as the hub sees it: a connection.

package import ChatProtocol
package import Networking

/// The content of a frame.
package enum FrameKind: Sendable {
    /// A durable event.
    case durable(ServerEvent)
    /// Text that was appended to an answer.
    case text(MessageDelta)
    /// A state that is valid only at this moment, such as presence.
    case fleeting
}

/// A connection that frames can be sent to. Lives on the hub's loop.
package protocol Watcher: AnyObject {
    /// Sends a frame that was encoded once for all.
    func send(_ frame: SharedBytes)
    /// Sends a frame of a conversation that the connection is subscribed to; the same as `send` by
    /// default.
    func tell(_ frame: SharedBytes, _ kind: FrameKind)
    /// Whether unsent frames have accumulated because the client reads slowly.
    var isSlow: Bool { get }
    /// Whether so many have accumulated that the client must watch again.
    var isStuck: Bool { get }
}

extension Watcher {
    package func tell(_ frame: SharedBytes, _ kind: FrameKind) { send(frame) }
}

/// One connection's subscription to one conversation.
final class Watch {
    /// The connection; the hub does not keep it alive.
    weak var watcher: (any Watcher)?
    /// The number of the last durable event that the subscriber has; nil until its snapshot was
    /// read.
    var seen: Int64?
    /// Durable events received while the snapshot was being read.
    var held: [(n: Int64, frame: SharedBytes, event: ServerEvent)] = []
    /// For each answer in which the subscriber is behind: the byte up to which it has the text.
    var behind: [MessageID: Int] = [:]
    /// Answers of which its snapshot has the whole text and whose ends may not have been published
    /// yet: it gets nothing more of them, also if their text begins here later.
    var ended: Set<MessageID> = []

    init(_ watcher: any Watcher) {
        self.watcher = watcher
    }
}
