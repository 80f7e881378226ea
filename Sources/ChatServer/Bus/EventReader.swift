// Brings a hub up to date with durable events that others have committed: what it has not published is read
// from the database, and published.

import ChatProtocol
import ChatStore
import EventLoop

/// Reads the events that a hub has not published, and publishes them.
final class EventReader {
    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let deletions: any DeletionObserver
    /// Conversations whose events are being read; true where there may be more since.
    private var reading: [ConversationID: Bool] = [:]
    /// Conversations that had news while their first subscriber's snapshot was being read.
    private var early: Set<ConversationID> = []
    private var hasFailed = false

    /// The most events that are read at once.
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

    /// A subscription has its snapshot: what came since, while nothing could be sent, is read now.
    func activated(_ conversation: ConversationID) {
        if early.remove(conversation) != nil { catchUp(conversation) }
    }

    /// Forgets news of conversations whose first subscriber has gone.
    func forgetUnwatched() {
        early = early.filter { hub.isWatched($0) }
    }

    /// Whether events could not be read since this was asked last.
    func takeFailure() -> Bool {
        defer { hasFailed = false }
        return hasFailed
    }

    // MARK: Reading

    /// Conversations have come to these numbers: what the hub has not published is read and published.
    func catchUp(_ numbers: [ConversationID: Int64]) {
        for (conversation, number) in numbers {
            if let last = hub.lastTold(in: conversation), last >= number { continue }
            catchUp(conversation)
        }
    }

    /// Reads the events that the hub has not published, and publishes them, soon.
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

    /// Reads and publishes the events that the hub has not published, where it has not come to number `n`.
    func read(_ conversation: ConversationID, upTo n: Int64) async {
        guard let last = hub.lastTold(in: conversation), last < n else { return }
        await read(conversation)
    }

    /// Reads and publishes the events that the hub has not published.
    func read(_ conversation: ConversationID) async {
        while let last = hub.lastTold(in: conversation) {
            guard
                let events = try? await store.events(
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

    /// Publishes events, and ends the subscriptions of those for whom the conversation is gone.
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
