// Who is connected, who subscribes to what, and which answers grow: where events meet their subscribers. Its
// cost is that of a conversation's subscribers, never of all connections.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// The hub of one loop.
package final class ConversationHub {
    private let loop: EventLoop
    /// What was sent, and to how many.
    package let figures = HubFigures()
    /// The lists of those who are connected.
    package let lists: ListHub
    private var channels: [ConversationID: ConversationChannel] = [:]
    private var connections: [UserID: [ObjectIdentifier: any Watcher]] = [:]
    /// Whose each connection is.
    private var users: [ObjectIdentifier: UserID] = [:]
    /// The connections that get what only administrators get.
    private var administrators: Set<ObjectIdentifier> = []
    private var pendingFlushes: Set<MessageID> = []
    /// Where subscriptions have begun or ended since somebody asked.
    private var changedConversations: Set<ConversationID> = []

    /// How long text is gathered after an answer's first piece went out.
    private let mergeInterval: Duration = .milliseconds(25)

    /// Called for each subscription that has ended.
    var onWatchEnded: ((ConversationID) -> Void)?

    /// Returns when what was sent before has left, on whichever loop its readers' sockets are: who
    /// acknowledges that a right has ended waits for that, so that nothing is delivered after.
    package var settle: () async -> Void = {}

    private let store: Store
    /// The most events that are read at once, to fill a gap.
    private static let eventLimit = 1000

    /// A hub without connections.
    /// - Parameters:
    ///   - loop: where it lives.
    ///   - store: where lists stand, and events that the hub has missed.
    ///   - bus: notifies other nodes of lists that change.
    package init(loop: EventLoop, store: Store, bus: any Bus) {
        self.loop = loop
        self.store = store
        lists = ListHub(loop: loop, bus: bus, source: ListHub.Source(store))
    }

    private func channel(_ conversation: ConversationID) -> ConversationChannel {
        if let channel = channels[conversation] { return channel }
        let channel = ConversationChannel(conversation: conversation, figures: figures)
        channel.onDeparture = { [weak self] user in self?.expel(user, from: conversation) }
        channel.onEnd = { [weak self] in
            self?.changedConversations.insert(conversation)
            self?.onWatchEnded?(conversation)
        }
        channels[conversation] = channel
        return channel
    }

    private func dropIfIdle(_ conversation: ConversationID) {
        if channels[conversation]?.isIdle == true { channels[conversation] = nil }
    }

    // MARK: Connections

    /// A user's connection is there.
    /// - Parameters:
    ///   - watcher: the connection.
    ///   - user: whose.
    ///   - isAdministrator: whether it gets what only administrators get.
    ///   - listPosition: the number that the user's list had come to, as its client knows it.
    package func connect(
        _ watcher: any Watcher,
        of user: User,
        isAdministrator: Bool? = nil,
        listPosition: Int64 = 0
    ) {
        lists.connect(watcher, of: user.id, at: listPosition)
        connections[user.id, default: [:]][ObjectIdentifier(watcher)] = watcher
        users[ObjectIdentifier(watcher)] = user.id
        if isAdministrator ?? (user.isAdmin == true) {
            administrators.insert(ObjectIdentifier(watcher))
        }
    }

    /// A connection is gone, and with it its subscriptions.
    package func disconnect(
        _ watcher: any Watcher,
        of user: UserID,
        watching conversations: Set<ConversationID>
    ) {
        lists.disconnect(watcher, of: user)
        connections[user]?[ObjectIdentifier(watcher)] = nil
        users[ObjectIdentifier(watcher)] = nil
        administrators.remove(ObjectIdentifier(watcher))
        if connections[user]?.isEmpty == true { connections[user] = nil }
        for conversation in conversations { unwatch(conversation, watcher) }
    }

    /// Sends an event to all connections, to administrators in words of their own.
    func broadcastToAll(_ event: (_ isAdministrator: Bool) -> ServerEvent) {
        guard !connections.isEmpty else { return }
        let frames = [false, true].map { ConversationChannel.frame(event($0)) }
        for watchers in connections.values {
            for (id, watcher) in watchers {
                watcher.send(frames[administrators.contains(id) ? 1 : 0])
            }
        }
    }

    /// Ends a user's subscriptions to a conversation that is not theirs any more.
    func expel(_ user: UserID, from conversation: ConversationID) {
        for watcher in (connections[user] ?? [:]).values { unwatch(conversation, watcher) }
        lists.changed(user)
    }

    /// Ends all subscriptions to a conversation that was deleted.
    func expelAll(from conversation: ConversationID) {
        guard let channel = channels[conversation] else { return }
        let watching = Set(channel.watchers.compactMap { users[$0] })
        for user in watching { expel(user, from: conversation) }
    }

    // MARK: Subscriptions

    /// The conversations that have subscribers, or an answer that grows.
    var conversations: [ConversationID] { Array(channels.keys) }

    /// How many conversations have subscribers, or an answer that grows.
    package var channelCount: Int { channels.count }

    /// Where subscriptions have begun or ended since this was called last.
    func takeChangedConversations() -> Set<ConversationID> {
        defer { changedConversations = [] }
        return changedConversations
    }

    /// Whether a conversation has subscribers.
    package func isWatched(_ conversation: ConversationID) -> Bool {
        channels[conversation]?.hasWatchers ?? false
    }

    /// The number of the last durable event that all subscribers of a conversation have; nil where none
    /// has a snapshot yet.
    package func lastTold(in conversation: ConversationID) -> Int64? {
        channels[conversation]?.lastTold
    }

    /// Begins a subscription. What happens from now on is held until `activate`.
    package func beginWatch(_ conversation: ConversationID, _ watcher: any Watcher) {
        changedConversations.insert(conversation)
        channel(conversation).begin(watcher)
    }

    /// The growing texts of the reply to `conversation.watch`. Send it, then call `activate` in the same turn.
    /// - Parameters:
    ///   - conversation: which.
    ///   - have: how many bytes of each the reader has.
    ///   - stored: the same from the database, for answers that this node does not generate.
    /// - Returns: each answer's text, from where the reader's is sure to be right.
    func growing(
        _ conversation: ConversationID,
        have: [String: Int],
        stored: [GrowingAnswer] = []
    ) -> [GrowingAnswer] {
        let live = channels[conversation]?.growing(have: have) ?? []
        let known = Set(live.map(\.message))
        return live + stored.filter { !known.contains($0.message) }
    }

    /// Whether a snapshot with everything up to `n` is too old for its subscriber: read it again.
    func misses(_ conversation: ConversationID, _ watcher: any Watcher, after n: Int64) -> Bool {
        channels[conversation]?.misses(watcher, after: n) ?? false
    }

    /// Begins to deliver to a subscriber whose reply, with everything up to `n`, has been sent.
    package func activate(_ conversation: ConversationID, _ watcher: any Watcher, n: Int64) {
        channels[conversation]?.activate(watcher, n: n)
        fillGap(in: conversation)
    }

    package func unwatch(_ conversation: ConversationID, _ watcher: any Watcher) {
        channels[conversation]?.end(watcher)
        dropIfIdle(conversation)
    }

    /// Whether a subscription is still there: it ends where its reader lagged, or left the conversation.
    package func isWatching(_ conversation: ConversationID, _ watcher: any Watcher) -> Bool {
        channels[conversation]?.isWatching(watcher) ?? false
    }

    /// A subscriber takes frames again.
    package func resume(
        _ conversations: Set<ConversationID>,
        _ watcher: any Watcher,
        of user: UserID
    ) {
        lists.resume(watcher, of: user)
        for conversation in conversations { channels[conversation]?.resume(watcher) }
    }

    // MARK: What happens

    /// Publishes durable events, once they are committed.
    /// - Parameters:
    ///   - events: in the order of their numbers.
    ///   - conversation: where.
    ///   - isOwn: whether this node committed them, and not another.
    package func publish(
        _ events: [ServerEvent],
        in conversation: ConversationID,
        isOwn: Bool = true
    ) {
        if !events.isEmpty { lists.changed(conversation, isOwn: isOwn) }
        guard let channel = channels[conversation] else { return }
        for event in events {
            guard let n = event.n else { continue }
            if let ended = event.endedMessage { channel.finish(ended) }
            channel.receive(n, event)
        }
        fillGap(in: conversation)
        dropIfIdle(conversation)
    }

    /// Sends a fleeting event to those who are subscribed at this moment.
    func broadcast(_ event: ServerEvent, in conversation: ConversationID) {
        channels[conversation]?.broadcast(event)
    }

    /// Begins a growing text.
    func startAnswer(_ answer: LiveAnswer) {
        channel(answer.conversation).start(answer)
    }

    /// Adds to a growing text. The first piece goes out in this turn, later ones are merged.
    func append(_ text: String, to message: MessageID, in conversation: ConversationID) {
        guard let channel = channels[conversation] else { return }
        if channel.append(text, to: message) {
            channel.flush(message)
        } else if pendingFlushes.insert(message).inserted {
            _ = loop.schedule(after: mergeInterval) { [weak self] in
                self?.pendingFlushes.remove(message)
                self?.channels[conversation]?.flush(message)
            }
        } else {
            figures.deltasMergedInTime += 1
        }
    }

    /// The run that a growing text is of, and where the text ends, in bytes; nil where none grows.
    func liveAnswer(
        _ message: MessageID,
        in conversation: ConversationID
    ) -> (run: RunID, end: Int)? {
        guard let answer = channels[conversation]?.answers[message], !answer.hasEnded else {
            return nil
        }
        return (answer.run, answer.bytes.count)
    }

    /// Whether an answer's end was published not long ago.
    func endedLately(_ message: MessageID, in conversation: ConversationID) -> Bool {
        channels[conversation]?.endedLately.contains(message) ?? false
    }

    /// Forgets a growing text whose end this node will not publish: another node has taken the run over.
    func dropAnswer(_ message: MessageID, in conversation: ConversationID) {
        channels[conversation]?.drop(message)
        dropIfIdle(conversation)
    }

    // MARK: Gaps

    /// Where an event's predecessor does not come, its commit may have outlived its connection: the
    /// database knows. Asked a second later, since most gaps close by themselves.
    private func fillGap(in conversation: ConversationID) {
        guard channels[conversation]?.gapAfter != nil else { return }
        loop.spawn { [weak self] in
            guard let self else { return }
            try? await self.loop.sleep(for: .seconds(1))
            guard let after = self.channels[conversation]?.gapAfter else { return }
            let events = try? await self.store.events(
                of: conversation,
                after: after,
                limit: Self.eventLimit
            )
            for event in events ?? [] {
                guard let n = event.n else { continue }
                self.channels[conversation]?.receive(n, event)
            }
        }
    }
}
