// Sends changes of users' lists to all their connections: what came, moved, changed or went, of conversations and
// of teams, each change with its number and the one sent before it, so that a client sees a gap. What is sent is
// always read from the database after the number that a connection has: changes that follow each other fast are
// merged, a slow consumer costs no memory, and it does not matter which node made a change.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// The connections of all users, as far as their lists go.
package final class ListHub {
    /// Where the lists stand.
    package struct Source {
        /// The members of conversations, and those whom teams concern, with the numbers of their last
        /// changes there.
        package var members: ([ConversationID], [TeamID]) async throws -> [UserID: Int64]
        /// The numbers that users' lists have come to, of those that are past the numbers given.
        package var positions: (_ after: [UserID: Int64]) async throws -> [UserID: Int64]
        /// What changed after users' numbers, the oldest first, so many at most for each user.
        package var changes: (_ after: [UserID: Int64], _ limit: Int) async throws -> [ListChange]

        /// Lists as a store has them.
        package init(_ store: Store) {
            members = { try await store.lists.positions(in: $0, teams: $1) }
            positions = { try await store.lists.positions(after: $0) }
            changes = { try await store.lists.changes(of: $0, limit: $1) }
        }
    }

    /// A connection, and the number up to which it has the list.
    private struct Listener {
        let watcher: any Watcher
        var sent: Int64
        /// Whether it took frames too slowly to get a change.
        var wasPassedOver = false
    }

    private let loop: EventLoop
    private var listeners: [UserID: [ObjectIdentifier: Listener]] = [:]
    /// Users who came or went since somebody asked.
    private var changedUsers: Set<UserID> = []
    /// All users in turn: everybody's list is looked at once a minute, a few hundred lists more often.
    private var round = Round<UserID>(turnCountMax: 60, least: 100)
    /// Whether none may wait for their turn: the database was unavailable when it was somebody's.
    private var allAreDue = false
    private var dueConversations: Set<ConversationID> = []
    private var dueTeams: Set<TeamID> = []
    private var dueUsers: Set<UserID> = []
    /// Whether this node made one of the changes in `dueConversations` and `dueTeams`.
    private var othersAreDue = false
    private var isSending = false
    private var isPolling = false

    /// How long changes are gathered after the first was sent.
    private let mergeInterval: Duration = .milliseconds(40)
    /// How often some lists are looked at, for changes that no notification reported.
    private let pollInterval: Duration = .seconds(1)
    /// How long the database is given to come back.
    private let retryInterval: Duration = .seconds(1)
    /// The most changes of one user that are sent in one go.
    private let changeLimit = 100
    /// So many lists are looked at in one go, that others do not wait for all.
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

    /// A connection is there, whose client has the list up to `position`.
    func connect(_ watcher: any Watcher, of user: UserID, at position: Int64) {
        poll()
        if listeners[user] == nil { changedUsers.insert(user) }
        listeners[user, default: [:]][ObjectIdentifier(watcher)] =
            Listener(watcher: watcher, sent: position)
        // What happened since the position was read is sent at once.
        changed(user, isOwn: false)
    }

    func disconnect(_ watcher: any Watcher, of user: UserID) {
        listeners[user]?[ObjectIdentifier(watcher)] = nil
        guard listeners[user]?.isEmpty == true else { return }
        listeners[user] = nil
        changedUsers.insert(user)
    }

    /// A connection takes frames again: it may have been passed over.
    func resume(_ watcher: any Watcher, of user: UserID) {
        guard listeners[user]?[ObjectIdentifier(watcher)]?.wasPassedOver == true else { return }
        listeners[user]?[ObjectIdentifier(watcher)]?.wasPassedOver = false
        changed(user, isOwn: false)
    }

    // MARK: What happens

    /// What lists show of a conversation changed, and the change is committed.
    /// - Parameters:
    ///   - conversation: which.
    ///   - isOwn: whether this node made the change, and not another that says so.
    package func changed(_ conversation: ConversationID, isOwn: Bool = true) {
        let othersCare = isOwn && bus.hasOthers
        guard othersCare || !listeners.isEmpty else { return }
        if othersCare { othersAreDue = true }
        dueConversations.insert(conversation)
        send()
    }

    /// A team changed on this node, or who is in it, and the change is committed.
    package func changed(_ team: TeamID) {
        let othersCare = bus.hasOthers
        guard othersCare || !listeners.isEmpty else { return }
        if othersCare { othersAreDue = true }
        dueTeams.insert(team)
        send()
    }

    /// A user's list changed, and the change is committed.
    /// - Parameters:
    ///   - user: whose.
    ///   - isOwn: whether this node made the change, and not another that says so.
    package func changed(_ user: UserID, isOwn: Bool = true) {
        if isOwn, bus.hasOthers { bus.send(.user(user)) }
        guard listeners[user] != nil else { return }
        dueUsers.insert(user)
        send()
    }

    /// Whether a user has a connection here.
    func isConnected(_ user: UserID) -> Bool { listeners[user] != nil }

    /// Users who came or went since this was called last.
    func takeChangedUsers() -> Set<UserID> {
        defer { changedUsers = [] }
        return changedUsers
    }

    /// Changes that nobody reported are seen by their numbers.
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

    /// Looks at once whether a list has changed that nobody reported.
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

    /// The least numbers that the connections of users have, also of those that are slow.
    private func leastSent(of users: some Sequence<UserID>) -> [UserID: Int64] {
        var least: [UserID: Int64] = [:]
        for user in users { least[user] = listeners[user]?.values.map(\.sent).min() }
        return least
    }

    /// A list has come to a number: it is due where a connection is not there yet.
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
                    // The loop ends.
                    return
                }
            }
            isSending = false
        }
    }

    /// Sends what is due now.
    /// - Returns: false where the database is unavailable; all is still due then.
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

    /// The least number that a user's connections have, of those that take frames. The others get theirs
    /// when they do.
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

    /// Sends changes, each encoded once for all of a user's connections.
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
                // Who joined meanwhile, further back, is due already.
                guard listener.sent >= previous, listener.sent < change.u else { continue }
                listeners[user]?[id]?.sent = change.u
                listener.watcher.send(frame)
            }
        }
        for (user, count) in counts where count >= changeLimit { dueUsers.insert(user) }
    }
}

extension ListChange {
    /// The change as a client gets it, which has the list up to `after`.
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
        }
    }
}
