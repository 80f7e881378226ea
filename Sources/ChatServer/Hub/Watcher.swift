// Who watches: a connection, as the hub sees it.

import ChatProtocol
package import Networking

/// A connection that frames can be sent to. Lives on the hub's loop.
package protocol Watcher: AnyObject {
    /// Sends a frame that was encoded once for all.
    func send(_ frame: SharedBytes)
    /// Whether frames pile up because the reader takes them slowly.
    var isSlow: Bool { get }
    /// Whether so many have piled up that the reader must begin again.
    var isStuck: Bool { get }
}

/// One connection's watch over one conversation.
final class Watch {
    /// The connection; the hub does not keep it alive.
    weak var watcher: (any Watcher)?
    /// The last durable event that the watcher has; nil until its snapshot was read.
    var seen: Int64?
    /// Durable events that came while the snapshot was being read.
    var held: [(n: Int64, frame: SharedBytes, isEnd: Bool)] = []
    /// For each answer that the watcher fell behind in: the byte up to which it has the text.
    var behind: [MessageID: Int] = [:]

    init(_ watcher: any Watcher) {
        self.watcher = watcher
    }
}
