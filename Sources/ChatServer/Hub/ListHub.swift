// Sends changes of users' lists to all their connections: conversations and teams that were added,
// moved, changed or removed. Each change has its number and that of the change sent before it, so
// that a client detects a gap. Changes are always read from the database, after the number that a
// connection has: rapid changes are merged, a slow consumer costs no memory, and it does not matter
// which node made a change.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// The list subscriptions of all connected users.
package final class ListHub {
    /// Reads the lists' changes.
    package struct Source {
        /// The members of conversations and the users whom changes of teams concern, each with the
        /// number of their last change there.
        package var members: ([ConversationID], [TeamID]) async throws -> [UserID: Int64]
        /// The latest change numbers of users' lists, for those that are past the given numbers.
        package var positions: (_ after: [UserID: Int64]) async throws -> [UserID: Int64]
        /// The changes after users' numbers, oldest first, at most `limit` per user.
        package var changes: (_ after: [UserID: Int64], _ limit: Int) async throws -> [ListChange]

        /// Reads from a store.
        package init(_ store: Store) {
            members = { try await store.lists.positions(in: $0, teams: $1) }
            positions = { try await store.lists.positions(after: $0) }
            changes = { try await store.lists.changes(of: $0, limit: $1) }
        }
    }

    /// A connection, and the number of the last change that it has.
    private struct Listener {
        let watcher: any Watcher
        var sent: Int64
        /// Whether it was skipped because it was slow.
        var wasPassedOver = false
    }

    private let loop: EventLoop
    private var listeners: [UserID: [ObjectIdentifier: Listener]] = [:]
    /// Users who connected or disconnected since `takeChangedUsers`.
    private var changedUsers: Set<UserID> = []
    /// All users in turn: each list is polled once a minute; a few hundred lists more often.
    private var round = Round<UserID>(turnCountMax: 60, least: 100)
    /// Whether all lists are due, because the database was unavailable during a poll.
    private var allAreDue = false
    private var dueConversations: Set<ConversationID> = []
    private var dueTeams: Set<TeamID> = []
    private var dueUsers: Set<UserID> = []
    /// Whether another node must be notified of changes in `dueConversations` and `dueTeams`.
    private var othersAreDue = false
    private var isSending = false
    private var isPolling = false

    /// How long changes are merged after the first was sent.
    private let mergeInterval: Duration = .milliseconds(40)
    /// Interval of polls, which find changes without a notification.
    private let pollInterval: Duration = .seconds(1)
    /// Time between attempts while the database is unavailable.
    private let retryInterval: Duration = .seconds(1)
    /// Maximum changes of one user that are sent at once.
    private let changeLimit = 100
    /// Maximum lists that are polled at once, so that other work need not wait for all.
    private let lookLimit = 200

    package var source: Source
    /// Notifies other nodes, which may have connections of the same users.
    private let bus: any Bus

    package init(loop: EventLoop, bus: any Bus, source: Source) {
        self.loop = loop
        self.bus = bus
        self.source = source
    }

    // MARK: Connections

    /// Adds a connection whose client has the list up to `position`.
    func connect(_ watcher: any Watcher, of user: UserID, at position: Int64) {
        poll()
        if listeners[user] == nil { changedUsers.insert(user) }
        listeners[user, default: [:]][ObjectIdentifier(watcher)] =
            Listener(watcher: watcher, sent: position)
        // Send at once what changed since the position was read.
        changed(user, isOwn: false)
    }

    func disconnect(_ watcher: any Watcher, of user: UserID) {
        listeners[user]?[ObjectIdentifier(watcher)] = nil
        guard listeners[user]?.isEmpty == true else { return }
        listeners[user] = nil
        changedUsers.insert(user)
    }

    /// Sends a connection that can receive again the changes for which it was skipped.
    func resume(_ watcher: any Watcher, of user: UserID) {
        guard listeners[user]?[ObjectIdentifier(watcher)]?.wasPassedOver == true else { return }
        listeners[user]?[ObjectIdentifier(watcher)]?.wasPassedOver = false
        changed(user, isOwn: false)
    }

    // MARK: Events

    /// Notes that a conversation's entry in lists changed, after the commit.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - isOwn: whether this node made the change; false if another node reported it.
    package func changed(_ conversation: ConversationID, isOwn: Bool = true) {
        let othersCare = isOwn && bus.hasOthers
        guard othersCare || !listeners.isEmpty else { return }
        if othersCare { othersAreDue = true }
        dueConversations.insert(conversation)
        send()
    }

    /// Notes that a team or its members changed on this node, after the commit.
    package func changed(_ team: TeamID) {
        let othersCare = bus.hasOthers
        guard othersCare || !listeners.isEmpty else { return }
        if othersCare { othersAreDue = true }
        dueTeams.insert(team)
        send()
    }

    /// Notes that a user's list changed, after the commit.
    /// - Parameters:
    ///   - user: the user.
    ///   - isOwn: whether this node made the change; false if another node reported it.
    package func changed(_ user: UserID, isOwn: Bool = true) {
        if isOwn, bus.hasOthers { bus.send(.user(user)) }
        guard listeners[user] != nil else { return }
        dueUsers.insert(user)
        send()
    }

    /// Whether a user has a connection here.
    func isConnected(_ user: UserID) -> Bool { listeners[user] != nil }

    /// Users who connected or disconnected since the last call.
    func takeChangedUsers() -> Set<UserID> {
        defer { changedUsers = [] }
        return changedUsers
    }

    /// Finds changes without a notification by their numbers.
    private func poll() {
        guard !isPolling else { return }
        isPolling = true
        _ = loop.schedule(after: pollInterval) { [weak self] in
            guard let self else { return }
            self.isPolling = false
            guard !self.listeners.isEmpty else { return }
            if self.allAreDue {
                self.look()
            } else {
                self.look(at: Array(self.round.next { Array(self.listeners.keys) }))
            }
            self.poll()
        }
    }

    /// Polls at once for changes without a notification.
    package func look() {
        allAreDue = false
        look(at: Array(listeners.keys))
    }

    private func look(at users: [UserID]) {
        guard !users.isEmpty else { return }
        loop.spawn { [weak self, lookLimit, source] in
            for part in users.parts(of: lookLimit) {
                guard let known = self?.leastSent(of: part) else { return }
                guard let positions = try? await source.positions(known) else {
                    self?.allAreDue = true
                    return
                }
                for (user, position) in positions { self?.note(user, at: position) }
            }
        }
    }

    /// The lowest numbers that users' connections have, including slow ones.
    private func leastSent(of users: some Sequence<UserID>) -> [UserID: Int64] {
        var least: [UserID: Int64] = [:]
        for user in users { least[user] = listeners[user]?.values.map(\.sent).min() }
        return least
    }

    /// Notes a list's latest number: the list is due if a connection has a lower one.
    private func note(_ user: UserID, at position: Int64) {
        guard let sent = listeners[user]?.values.map(\.sent).min(), sent < position else { return }
        changed(user, isOwn: false)
    }

    // MARK: Sending

    private func send() {
        guard !isSending else { return }
        isSending = true
        loop.spawn { [self] in
            while !dueConversations.isEmpty || !dueTeams.isEmpty || !dueUsers.isEmpty {
                let isDone = await sendOnce()
                do {
                    try await loop.sleep(for: isDone ? mergeInterval : retryInterval)
                } catch {
                    // The loop has ended.
                    return
                }
            }
            isSending = false
        }
    }

    /// Sends all changes that are due.
    /// - Returns: false if the database is unavailable; everything is still due then.
    private func sendOnce() async -> Bool {
        let conversations = dueConversations
        let teams = dueTeams
        var users = dueUsers
        let wakesOthers = othersAreDue
        dueConversations = []
        dueTeams = []
        dueUsers = []
        othersAreDue = false
        do {
            if !conversations.isEmpty || !teams.isEmpty {
                let members = try await source.members(Array(conversations), Array(teams))
                if wakesOthers { for user in members.keys { bus.send(.user(user)) } }
                for (user, position) in members {
                    guard let sent = leastSent(user), sent < position else { continue }
                    users.insert(user)
                }
            }
            var after: [UserID: Int64] = [:]
            for user in users { after[user] = leastSent(user) }
            guard !after.isEmpty else { return true }
            deliver(try await source.changes(after, changeLimit), after)
            return true
        } catch {
            dueConversations.formUnion(conversations)
            dueTeams.formUnion(teams)
            dueUsers.formUnion(users)
            othersAreDue = othersAreDue || wakesOthers
            return false
        }
    }

    /// The lowest number that a user's connections have, without slow ones: those are sent their
    /// changes when they can receive again.
    private func leastSent(_ user: UserID) -> Int64? {
        var least: Int64?
        for (id, listener) in listeners[user] ?? [:] {
            if listener.watcher.isSlow {
                listeners[user]?[id]?.wasPassedOver = true
            } else {
                least = min(least ?? listener.sent, listener.sent)
            }
        }
        return least
    }

    /// Sends changes, each encoded once for all connections of a user.
    private func deliver(_ changes: [ListChange], _ after: [UserID: Int64]) {
        var last = after
        var counts: [UserID: Int] = [:]
        for change in changes {
            let user = change.user
            let event = change.event(after: last[user] ?? 0)
            let previous = last[user] ?? 0
            last[user] = change.u
            counts[user, default: 0] += 1
            let frame = ConversationChannel.frame(event)
            for (id, listener) in listeners[user] ?? [:] {
                guard !listener.watcher.isSlow else {
                    listeners[user]?[id]?.wasPassedOver = true
                    continue
                }
                // A connection that was added meanwhile with a lower number is due already.
                guard listener.sent >= previous, listener.sent < change.u else { continue }
                listeners[user]?[id]?.sent = change.u
                listener.watcher.send(frame)
            }
        }
        for (user, count) in counts where count >= changeLimit { dueUsers.insert(user) }
    }
}

extension ListChange {
    /// The change as an event for a client that has the list up to `after`.
    fileprivate func event(after: Int64) -> ServerEvent {
        switch subject {
        case .listed(let summary):
            .conversationListed(
                ConversationListed(
                    conversation: summary.id,
                    u: u,
                    after: after,
                    summary: summary
                )
            )
        case .unlisted(let conversation):
            .conversationUnlisted(
                ConversationUnlisted(conversation: conversation, u: u, after: after)
            )
        case .team(let team): .teamChanged(TeamChanged(team: team, u: u, after: after))
        case .left(let team): .teamLeft(TeamLeft(team: team, u: u, after: after))
        case .folders(let folders):
            .foldersChanged(FoldersChanged(folders: folders, u: u, after: after))
        }
    }
}
