// Brings a hub up to date with durable events that others have committed: what it has not told is read
// from the database, and told.

import ChatProtocol
import ChatStore
import EventLoop

/// Reads the events that a hub has not told, and tells them.
final class EventReader {
    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    /// Is told of conversations that others have deleted, or messages of, where they are watched here.
    var onDeletion: ((ConversationID) -> Void)?
    /// Conversations whose events are being read; true where there may be more since.
    private var reading: [ConversationID: Bool] = [:]
    /// Conversations that had news while their first watcher's snapshot was being read.
    private var early: Set<ConversationID> = []
    private var hasFailed = false

    /// The most events that are read at once.
    private static let eventLimit = 1000

    init(loop: EventLoop, store: Store, hub: ConversationHub) {
        self.loop = loop
        self.store = store
        self.hub = hub
    }

    /// A watch has its snapshot: what came since, while nobody could be told, is read now.
    func activated(_ conversation: ConversationID) {
        if early.remove(conversation) != nil { catchUp(conversation) }
    }

    /// Forgets news of conversations whose first watcher has gone.
    func forgetUnwatched() {
        early = early.filter { hub.isWatched($0) }
    }

    /// Whether events could not be read since this was asked last.
    func takeFailure() -> Bool {
        defer { hasFailed = false }
        return hasFailed
    }

    // MARK: Reading

    /// Conversations have come to these numbers: what the hub has not told of them is read and told.
    func catchUp(_ numbers: [ConversationID: Int64]) {
        for (conversation, number) in numbers {
            if let told = hub.lastTold(in: conversation), told >= number { continue }
            catchUp(conversation)
        }
    }

    /// Reads the events that the hub has not told, and tells them, soon.
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

    /// Reads and tells the events that the hub has not told, where it has not come to number `n`.
    func read(_ conversation: ConversationID, upTo n: Int64) async {
        guard let told = hub.lastTold(in: conversation), told < n else { return }
        await read(conversation)
    }

    /// Reads and tells the events that the hub has not told.
    func read(_ conversation: ConversationID) async {
        while let told = hub.lastTold(in: conversation) {
            guard
                let events = try? await store.events(
                    of: conversation,
                    after: told,
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

    /// Tells events, and ends the watches of those for whom the conversation is gone.
    func publish(_ events: [ServerEvent], in conversation: ConversationID, isOwn: Bool) {
        hub.publish(events, in: conversation, isOwn: isOwn)
        for event in events {
            switch event {
            case .conversationDeleted:
                hub.expelAll(from: conversation)
                onDeletion?(conversation)
            case .messageDeleted: onDeletion?(conversation)
            case .memberChanged(let change) where change.role == nil:
                hub.expel(change.user.id, from: conversation)
            default: break
            }
        }
    }
}
