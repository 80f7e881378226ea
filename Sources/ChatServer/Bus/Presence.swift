// Who is present in a conversation and who is typing: broadcast to its other subscribers on all
// nodes, never stored. A node regularly sends the ids of its subscribers to the other nodes; a user
// whose id no longer arrives is absent.

package import ChatProtocol
import ChatStore
import EventLoop

/// Knows which users are present in which conversations.
package final class Presence {
    /// A subscriber on this node.
    private struct Local {
        let user: User
        var watchers: [ObjectIdentifier: WeakWatcher] = [:]
    }

    private struct WeakWatcher {
        weak var watcher: (any Watcher)?
    }

    /// A subscriber on another node.
    private struct Remote {
        let user: User
        var until: ContinuousClock.Instant
    }

    /// A user in a conversation.
    private struct Attendance: Hashable {
        let conversation: ConversationID
        let user: UserID
    }

    private static let interval = Duration.seconds(1)
    /// How often a node reports its users to other nodes, and how long a report is valid.
    private static let heartbeat = Duration.seconds(15)
    private static let patience = Duration.seconds(40)
    /// How often typing is broadcast, and how long it is valid.
    private static let typingPause = Duration.seconds(2)
    private static let typingSeconds = 5.0
    /// Presence is not broadcast in conversations with more users than this on a node.
    private static let countMax = 50

    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let bus: any Bus
    private var here: [ConversationID: [UserID: Local]] = [:]
    /// Conversations in which subscriptions have ended since the last sweep.
    private var left: Set<ConversationID> = []
    private var elsewhere: [ConversationID: [UserID: Remote]] = [:]
    private var typedAt: [Attendance: ContinuousClock.Instant] = [:]
    private var nextHeartbeat: ContinuousClock.Instant
    /// The conversations of the next heartbeat and expiry check, in turns if there are many.
    private var beats = Round<ConversationID>(turnCountMax: 10, least: 100)
    private var stale = Round<ConversationID>(turnCountMax: 10, least: 100)
    private var isSweeping = false

    init(loop: EventLoop, store: Store, hub: ConversationHub, bus: any Bus) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.bus = bus
        nextHeartbeat = loop.now
        hub.onWatchEnded = { [weak self] conversation in
            guard let self, here[conversation] != nil else { return }
            left.insert(conversation)
        }
    }

    // MARK: On this node

    /// Notes a subscriber. They receive the users who are present, and those are notified of them.
    package func join(_ conversation: ConversationID, _ user: User, _ watcher: any Watcher) {
        let user = User(id: user.id, name: user.name)
        var others: [UserID: User] = [:]
        for local in (here[conversation] ?? [:]).values { others[local.user.id] = local.user }
        for remote in (elsewhere[conversation] ?? [:]).values {
            others[remote.user.id] = remote.user
        }
        let wasThere = others.removeValue(forKey: user.id) != nil
        here[conversation, default: [:]][user.id, default: Local(user: user)]
            .watchers[ObjectIdentifier(watcher)] = WeakWatcher(watcher: watcher)
        for other in others.values.prefix(Self.countMax) {
            let change = PresenceChanged(conversation: conversation, user: other, online: true)
            watcher.send(ConversationChannel.frame(.presenceChanged(change)))
        }
        if !wasThere { broadcast(user, isOnline: true, in: conversation) }
        if bus.hasOthers { bus.send(.present(conversation, user.id)) }
        sweep()
    }

    /// Broadcasts that a user is typing.
    package func typed(_ user: User, in conversation: ConversationID) {
        guard mayBroadcastTyping(user.id, in: conversation) else { return }
        broadcastTyping(user, in: conversation)
        if bus.hasOthers { bus.send(.typing(conversation, user.id)) }
    }

    // MARK: On other nodes

    /// Notes that a user is present on another node.
    func heard(_ user: UserID, in conversation: ConversationID) {
        guard hub.isWatched(conversation) else { return }
        let until = loop.now + Self.patience
        if elsewhere[conversation]?[user] != nil {
            elsewhere[conversation]?[user]?.until = until
            return
        }
        guard elsewhere[conversation, default: [:]].count < Self.countMax else { return }
        loop.spawn { [self] in
            guard let known = try? await store.conversations.reader(user, of: conversation) else {
                return
            }
            let isNews = elsewhere[conversation]?[user] == nil && here[conversation]?[user] == nil
            elsewhere[conversation, default: [:]][user] = Remote(user: known, until: until)
            if isNews { broadcast(known, isOnline: true, in: conversation) }
            // That node does not know the users here either.
            for local in (here[conversation] ?? [:]).keys.prefix(Self.countMax) {
                bus.send(.present(conversation, local))
            }
            sweep()
        }
    }

    /// Notes that a user left on another node.
    func heardLeaving(_ user: UserID, _ conversation: ConversationID) {
        guard let remote = elsewhere[conversation]?.removeValue(forKey: user) else { return }
        if here[conversation]?[user] == nil {
            broadcast(remote.user, isOnline: false, in: conversation)
        }
    }

    /// Broadcasts that a user is typing on another node.
    func heardTyping(_ user: UserID, in conversation: ConversationID) {
        guard hub.isWatched(conversation), mayBroadcastTyping(user, in: conversation) else {
            return
        }
        if let known = elsewhere[conversation]?[user]?.user {
            broadcastTyping(known, in: conversation)
            return
        }
        loop.spawn { [self] in
            guard let known = try? await store.conversations.reader(user, of: conversation) else {
                return
            }
            broadcastTyping(known, in: conversation)
        }
    }

    // MARK: Broadcasting

    private func broadcast(_ user: User, isOnline: Bool, in conversation: ConversationID) {
        // Users are not notified of themselves, and presence is not broadcast in large
        // conversations.
        guard here[conversation]?.keys.contains(where: { $0 != user.id }) == true,
            (here[conversation]?.count ?? 0) <= Self.countMax
        else { return }
        let change = PresenceChanged(conversation: conversation, user: user, online: isOnline)
        hub.broadcast(.presenceChanged(change), in: conversation)
    }

    private func mayBroadcastTyping(_ user: UserID, in conversation: ConversationID) -> Bool {
        let attendance = Attendance(conversation: conversation, user: user)
        if let last = typedAt[attendance], loop.now - last < Self.typingPause { return false }
        typedAt[attendance] = loop.now
        sweep()
        return true
    }

    private func broadcastTyping(_ user: User, in conversation: ConversationID) {
        let event = Typing(
            conversation: conversation,
            user: User(id: user.id, name: user.name),
            seconds: Self.typingSeconds
        )
        hub.broadcast(.typing(event), in: conversation)
    }

    // MARK: Leaving

    /// Finds users whose subscriptions ended, for any reason, once a second. The cost depends on
    /// the conversations that users left, not on the number of connections.
    private func sweep() {
        guard !isSweeping else { return }
        isSweeping = true
        _ = loop.schedule(after: Self.interval) { [weak self] in
            guard let self else { return }
            self.isSweeping = false
            self.dropGone()
            self.beat()
            if !self.here.isEmpty || !self.elsewhere.isEmpty || !self.typedAt.isEmpty {
                self.sweep()
            }
        }
    }

    private func dropGone() {
        let now = loop.now
        typedAt = typedAt.filter { now - $0.value < Self.typingPause }
        let due = left
        left = []
        for conversation in due {
            for (id, local) in here[conversation] ?? [:] {
                let rest = local.watchers.filter { entry in
                    entry.value.watcher.map { hub.isWatching(conversation, $0) } ?? false
                }
                guard rest.isEmpty else {
                    here[conversation]?[id]?.watchers = rest
                    continue
                }
                here[conversation]?[id] = nil
                if bus.hasOthers { bus.send(.absent(conversation, id)) }
                if elsewhere[conversation]?[id] == nil {
                    broadcast(local.user, isOnline: false, in: conversation)
                }
            }
            if here[conversation]?.isEmpty == true { here[conversation] = nil }
        }
        for conversation in stale.next(of: { Array(elsewhere.keys) }) {
            for (id, remote) in elsewhere[conversation] ?? [:] where remote.until < now {
                heardLeaving(id, conversation)
                elsewhere[conversation]?[remote.user.id] = nil
            }
            // No subscriber is left here.
            if here[conversation] == nil || elsewhere[conversation]?.isEmpty == true {
                elsewhere[conversation] = nil
            }
        }
    }

    private func beat() {
        guard bus.hasOthers else { return }
        if beats.isOver {
            guard loop.now >= nextHeartbeat else { return }
            nextHeartbeat = loop.now + Self.heartbeat
        }
        for conversation in beats.next(of: { Array(here.keys) }) {
            for user in (here[conversation] ?? [:]).keys {
                bus.send(.present(conversation, user))
            }
        }
    }
}
