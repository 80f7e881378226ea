// Delivers events to subscribers: knows the connections, their subscriptions and the running
// answers. The cost of an event depends on the conversation's subscribers, not on the number of
// connections.

package import ChatProtocol
package import ChatStore
package import EventLoop

/// The hub of one event loop.
package final class ConversationHub {
    private let loop: EventLoop
    /// Counts of sent frames and their receivers.
    package let figures = HubFigures()
    /// The conversation lists of connected users.
    package let lists: ListHub
    private var channels: [ConversationID: ConversationChannel] = [:]
    private var connections: [UserID: [ObjectIdentifier: any Watcher]] = [:]
    /// The user of each connection.
    private var users: [ObjectIdentifier: UserID] = [:]
    /// The connections that receive events for administrators.
    private var administrators: Set<ObjectIdentifier> = []
    private var pendingFlushes: Set<MessageID> = []
    /// Conversations whose subscriptions changed since `takeChangedConversations`.
    private var changedConversations: Set<ConversationID> = []

    /// How long text is merged after an answer's first piece was sent.
    private let mergeInterval: Duration = .milliseconds(25)

    /// Called for each subscription that has ended.
    var onWatchEnded: ((ConversationID) -> Void)?

    /// Returns once earlier frames have been written, on every loop that has sockets of their
    /// readers. A revocation is acknowledged only then, so that nothing is delivered after it.
    package var settle: () async -> Void = {}

    private let store: Store
    /// Maximum events per query that fills a gap.
    private static let eventLimit = 1000

    /// A hub without connections.
    /// - Parameters:
    ///   - loop: the loop that it runs on.
    ///   - store: reads lists, and events that the hub has missed.
    ///   - bus: notifies other nodes of changed lists.
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

    /// Adds a user's connection.
    /// - Parameters:
    ///   - watcher: the connection.
    ///   - user: its user.
    ///   - isAdministrator: whether it receives events for administrators.
    ///   - listPosition: the number of the last list change that the client has.
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

    /// Removes a connection and its subscriptions.
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

    /// Sends an event to all connections; administrators may get a different one.
    func broadcastToAll(_ event: (_ isAdministrator: Bool) -> ServerEvent) {
        guard !connections.isEmpty else { return }
        let frames = [false, true].map { ConversationChannel.frame(event($0)) }
        for watchers in connections.values {
            for (id, watcher) in watchers {
                watcher.send(frames[administrators.contains(id) ? 1 : 0])
            }
        }
    }

    /// Ends a user's subscriptions to a conversation that they can no longer read.
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

    /// The conversations that have subscribers or running answers.
    var conversations: [ConversationID] { Array(channels.keys) }

    /// The number of conversations that have subscribers or running answers.
    package var channelCount: Int { channels.count }

    /// Conversations whose subscriptions changed since the last call.
    func takeChangedConversations() -> Set<ConversationID> {
        defer { changedConversations = [] }
        return changedConversations
    }

    /// Whether a conversation has subscribers.
    package func isWatched(_ conversation: ConversationID) -> Bool {
        channels[conversation]?.hasWatchers ?? false
    }

    /// The number of a conversation's subscribers.
    func watcherCount(of conversation: ConversationID) -> Int {
        channels[conversation]?.watcherCount ?? 0
    }

    /// The number of the last durable event that all subscribers of a conversation have; nil if
    /// none has a snapshot yet.
    package func lastTold(in conversation: ConversationID) -> Int64? {
        channels[conversation]?.lastTold
    }

    /// Begins a subscription. Later events are held back until `activate`.
    package func beginWatch(_ conversation: ConversationID, _ watcher: any Watcher) {
        changedConversations.insert(conversation)
        channel(conversation).begin(watcher)
    }

    /// The running answers for the reply to `conversation.watch`. Send it, then call `activate` in
    /// the same turn of the loop.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - have: how many bytes of each answer the reader has.
    ///   - stored: the checkpoints from the database, for answers that other nodes generate.
    /// - Returns: each answer's text, from the offset up to which the reader's text is valid.
    func growing(
        _ conversation: ConversationID,
        have: [String: Int],
        stored: [GrowingAnswer] = []
    ) -> [GrowingAnswer] {
        let live = channels[conversation]?.growing(have: have) ?? []
        let known = Set(live.map(\.message))
        return live + stored.filter { !known.contains($0.message) }
    }

    /// Whether a snapshot of the events up to `n` is too old for its subscriber: read it again.
    func misses(_ conversation: ConversationID, _ watcher: any Watcher, after n: Int64) -> Bool {
        channels[conversation]?.misses(watcher, after: n) ?? false
    }

    /// Starts delivery to a subscriber whose reply, with all events up to `n`, has been sent.
    /// - Parameters:
    ///   - conversation: the conversation.
    ///   - watcher: the subscriber.
    ///   - n: the number of the reply's last event.
    ///   - ended: the answers that have ended according to the reply.
    package func activate(
        _ conversation: ConversationID,
        _ watcher: any Watcher,
        n: Int64,
        ended: Set<MessageID> = []
    ) {
        channels[conversation]?.activate(watcher, n: n, ended: ended)
        fillGap(in: conversation)
    }

    package func unwatch(_ conversation: ConversationID, _ watcher: any Watcher) {
        channels[conversation]?.end(watcher)
        dropIfIdle(conversation)
    }

    /// Whether a subscription still exists: it ends if its client lagged or its user left.
    package func isWatching(_ conversation: ConversationID, _ watcher: any Watcher) -> Bool {
        channels[conversation]?.isWatching(watcher) ?? false
    }

    /// Sends a subscriber that can receive again what it missed.
    package func resume(
        _ conversations: Set<ConversationID>,
        _ watcher: any Watcher,
        of user: UserID
    ) {
        lists.resume(watcher, of: user)
        for conversation in conversations { channels[conversation]?.resume(watcher) }
    }

    // MARK: Events

    /// Publishes committed durable events.
    /// - Parameters:
    ///   - events: the events, in the order of their numbers.
    ///   - conversation: their conversation.
    ///   - isOwn: whether this node committed them.
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

    /// Sends an ephemeral event to all current subscribers.
    func broadcast(_ event: ServerEvent, in conversation: ConversationID) {
        channels[conversation]?.broadcast(event)
    }

    /// Begins the text of a run.
    func startAnswer(_ answer: LiveAnswer) {
        channel(answer.conversation).start(answer)
    }

    /// Appends to a running answer. The first piece is sent in this turn of the loop, later ones
    /// are merged.
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

    /// The run that generates an answer and the length of its text, in bytes; nil if none runs.
    func liveAnswer(
        _ message: MessageID,
        in conversation: ConversationID
    ) -> (run: RunID, end: Int)? {
        guard let answer = channels[conversation]?.answers[message], !answer.hasEnded else {
            return nil
        }
        return (answer.run, answer.bytes.count)
    }

    /// Whether an answer's end is stored, as far as the hub knows.
    func hasEnded(_ message: MessageID, in conversation: ConversationID) -> Bool {
        channels[conversation]?.hasEnded(message) ?? false
    }

    /// Forgets a running answer whose end this node will not publish: another node took the run
    /// over.
    func dropAnswer(_ message: MessageID, in conversation: ConversationID) {
        channels[conversation]?.drop(message)
        dropIfIdle(conversation)
    }

    // MARK: Gaps

    /// Fills a gap from the database: a commit may have succeeded although its connection was lost.
    /// Waits for a second first, since most gaps close by themselves.
    private func fillGap(in conversation: ConversationID) {
        guard channels[conversation]?.gapAfter != nil else { return }
        loop.spawn { [weak self] in
            guard let self else { return }
            try? await self.loop.sleep(for: .seconds(1))
            guard let after = self.channels[conversation]?.gapAfter else { return }
            let events = try? await self.store.events.list(
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
