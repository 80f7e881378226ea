// A connection that notes what it is told, and can be waited on.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Networking

/// A watcher that keeps all events.
final class EventListener: Watcher {
    let isSlow = false
    let isStuck = false
    private(set) var events: [ServerEvent] = []
    private let loop: EventLoop
    private var waiting: (matches: (ServerEvent) -> Bool, LoopPromise<Void, CancellationError>)?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Watches a conversation from now on.
    func watch(_ conversation: ConversationID, of user: User, on node: Node) async throws {
        let known = try await node.store.conversation(conversation, for: user.id).n
        node.hub.beginWatch(conversation, self)
        node.hub.activate(conversation, self, n: known)
    }

    func send(_ frame: SharedBytes) {
        // A server's frame has a head of two, four or ten bytes before its text.
        guard let start = frame.bytes.firstIndex(of: UInt8(ascii: "{")),
            let event = try? JSONDecoder().decode(
                ServerEvent.self,
                from: Data(frame.bytes[start...])
            )
        else { return }
        events.append(event)
        guard let waiting, waiting.matches(event) else { return }
        self.waiting = nil
        waiting.1.succeed(())
    }

    /// Waits for an event, unless it has come already.
    func wait(until matches: @escaping (ServerEvent) -> Bool) async throws {
        if events.contains(where: matches) { return }
        let promise = LoopPromise<Void, CancellationError>(loop)
        waiting = (matches, promise)
        try await promise.value { promise.fail(CancellationError()) }
    }
}
