// Publishes durable events that other nodes have committed, after reading them from the database.

import ChatProtocol
import ChatStore
import EventLoop

/// Reads and publishes the events that a hub has not published.
final class EventReader {
    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let deletions: any DeletionObserver
    /// Conversations whose events are being read; true if they must be read once more.
    private var reading: [ConversationID: Bool] = [:]
    /// Conversations of which a notification arrived while their first subscriber's snapshot was
    /// read.
    private var early: Set<ConversationID> = []
    private var hasFailed = false

    /// Maximum events per query.
    private static let eventLimit = 1000

    init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        deletions: any DeletionObserver
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.deletions = deletions
    }

    /// Reads the events since a subscription's snapshot, which could not be delivered before.
    func activated(_ conversation: ConversationID) {
        if early.remove(conversation) != nil { catchUp(conversation) }
    }

    /// Forgets notifications of conversations whose first subscriber has left.
    func forgetUnwatched() {
        early = early.filter { hub.isWatched($0) }
    }

    /// Whether reading has failed since the last call.
    func takeFailure() -> Bool {
        defer { hasFailed = false }
        return hasFailed
    }

    // MARK: Reading

    /// Reads and publishes the missing events of conversations, given their latest event numbers.
    func catchUp(_ numbers: [ConversationID: Int64]) {
        for (conversation, number) in numbers {
            if let last = hub.lastTold(in: conversation), last >= number { continue }
            catchUp(conversation)
        }
    }

    /// Reads and publishes the missing events of a conversation soon.
    func catchUp(_ conversation: ConversationID) {
        guard hub.lastTold(in: conversation) != nil else {
            if hub.isWatched(conversation) { early.insert(conversation) }
            return
        }
        guard reading.updateValue(true, forKey: conversation) == nil else { return }
        loop.spawn { [self] in
            while reading[conversation] == true {
                reading[conversation] = false
                await read(conversation)
            }
            reading[conversation] = nil
        }
    }

    /// Reads and publishes the missing events of a conversation if the hub has not published event
    /// `n`.
    func read(_ conversation: ConversationID, upTo n: Int64) async {
        guard let last = hub.lastTold(in: conversation), last < n else { return }
        await read(conversation)
    }

    /// Reads and publishes the missing events of a conversation.
    func read(_ conversation: ConversationID) async {
        while let last = hub.lastTold(in: conversation) {
            guard
                let events = try? await store.events.list(
                    of: conversation,
                    after: last,
                    limit: Self.eventLimit
                )
            else {
                hasFailed = true
                return
            }
            publish(events, in: conversation, isOwn: false)
            guard events.count == Self.eventLimit else { return }
        }
    }

    /// Publishes events, and ends the subscriptions of users who can no longer read the
    /// conversation.
    func publish(_ events: [ServerEvent], in conversation: ConversationID, isOwn: Bool) {
        hub.publish(events, in: conversation, isOwn: isOwn)
        for event in events {
            switch event {
            case .conversationDeleted:
                hub.expelAll(from: conversation)
                deletions.deleted(in: conversation)
            case .messageDeleted: deletions.deleted(in: conversation)
            case .memberChanged(let change) where change.role == nil:
                hub.expel(change.user.id, from: conversation)
            default: break
            }
        }
    }
}
