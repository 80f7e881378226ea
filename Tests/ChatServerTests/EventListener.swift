// A connection that records the events it receives, and can be waited on.

import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Networking

extension ServerEvent {
    /// The model of a `model.changed`.
    var changedModel: Model? {
        if case .modelChanged(let body) = self { body.model } else { nil }
    }

    /// The model that a queued answer waits for.
    var awaitedModel: Model? {
        if case .messageQueued(let body) = self { body.model } else { nil }
    }

    /// The text that was added to an answer.
    var delta: MessageDelta? {
        if case .messageDelta(let body) = self { body } else { nil }
    }

    var isReady: Bool { changedModel?.state == .ready }

    /// The answer that this event ends, if any.
    var endedMessage: MessageID? {
        switch self {
        case .messageCompleted(let ended), .messageStopped(let ended), .messageFailed(let ended):
            ended.message
        default: nil
        }
    }
}

/// A subscriber that keeps all events.
final class EventListener: Watcher {
    let isSlow = false
    let isStuck = false
    private(set) var events: [ServerEvent] = []
    private let loop: EventLoop
    private var waiting: (matches: (ServerEvent) -> Bool, LoopPromise<Void, CancellationError>)?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Subscribes to a conversation.
    func watch(_ conversation: ConversationID, of user: User, on node: Node) async throws {
        node.hub.beginWatch(conversation, self)
        await node.link.join(conversation)
        let known = try await node.store.conversations.conversation(conversation, for: user.id).n
        node.hub.activate(conversation, self, n: known)
        node.link.activated(conversation)
    }

    func send(_ frame: SharedBytes) {
        // A server's frame has a header of two, four or ten bytes before its text (RFC 6455, 5.2).
        let start = [126: 4, 127: 10][frame.bytes[1]] ?? 2
        guard
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

    /// Waits for an event, unless it was received already.
    func wait(until matches: @escaping (ServerEvent) -> Bool) async throws {
        if events.contains(where: matches) { return }
        let promise = LoopPromise<Void, CancellationError>(loop)
        waiting = (matches, promise)
        try await promise.value { promise.fail(CancellationError()) }
    }
}
