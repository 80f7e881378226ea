// What ties a node to the others: whatever they write reaches the subscribers of this one. Notifications come
// by the bus; comparing with the database fills the gaps that the bus leaves.

package import ChatProtocol
package import ChatStore
package import EventLoop
import FoundationEssentials
package import Logging

/// Keeps a node's hub abreast of what happens on other nodes.
package final class NodeLink {
    package let bus: any Bus
    private let loop: EventLoop
    private let store: Store
    let hub: ConversationHub
    private let dispatcher: RunDispatcher
    private let peers: NodePeers
    /// Publishes what others have written.
    var events: EventReader { peers.events }
    /// Ends runs early, wherever they are.
    package let stopper: RunStopper
    /// Who is in which conversation.
    package let presence: Presence
    /// Ends runs whose users lost the right to them.
    private let revocations: RevocationSweeper
    private var looking: LoopTask?
    private var isStopped = false
    /// All conversations in turn: each is looked at once a minute, a hundred of them every second.
    private var round = Round<ConversationID>(turnCountMax: 60, least: 100)
    /// Whether none may wait for their turn: notifications were lost, or the database was unavailable.
    private var allAreDue = false

    /// So many conversations are looked at in one go, that others do not wait for all.
    private static let lookLimit = 200

    /// - Parameters:
    ///   - loop: where it lives.
    ///   - store: what the nodes share.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - dispatcher: has this node's runs.
    ///   - peers: as the dispatcher has them; they bring the bus.
    ///   - logger: where stops are logged.
    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        dispatcher: RunDispatcher,
        peers: NodePeers,
        logger: Logger
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.dispatcher = dispatcher
        self.peers = peers
        bus = peers.bus
        stopper = RunStopper(
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            bus: bus,
            logger: logger
        )
        revocations = RevocationSweeper(loop: loop, store: store, stopper: stopper)
        presence = Presence(loop: loop, store: store, hub: hub, bus: bus)
    }

    /// Begins to listen and to look.
    /// - Parameter accountChanged: called for users whose sign-ins may have ended, or whose rights have
    ///   changed, by what another node did.
    package func start(accountChanged: @escaping (UserID) -> Void) {
        bus.start { [weak self] in self?.receive($0, accountChanged) }
        looking = loop.spawn { [weak self, loop] in
            while let pause = self?.pause {
                do { try await loop.sleep(for: pause) } catch { return }
                await self?.look()
            }
        }
        revocations.start()
    }

    /// Deregisters this node.
    package func stop() async {
        isStopped = true
        looking?.cancel()
        await looking?.wait()
        await revocations.stop()
        await bus.stop()
    }

    /// How long until the next look: rarely where notifications arrive, or nobody else is there.
    private var pause: Duration { isDeaf ? .milliseconds(150) : .seconds(1) }

    /// Whether others write and no notification reports it.
    private var isDeaf: Bool { bus.hasOthers && !bus.isHearing }

    // MARK: Subscriptions

    /// Makes sure that other nodes notify this one of a conversation. To be called between the beginning
    /// of a subscription and the reading of its snapshot, so that nothing falls between.
    package func join(_ conversation: ConversationID) async {
        await bus.watch(conversation.uuid)
        // Where others have subscribed already, the hub is abreast of what grows elsewhere.
        if bus.hasOthers, hub.lastTold(in: conversation) == nil {
            await peers.remote.meet(conversation)
        }
    }

    /// Makes sure that other nodes notify this one of the list of a user who is connected here.
    package func join(_ user: UserID) async {
        // Where others come later, a look has seen to it.
        guard bus.hasOthers else { return }
        await bus.watch(user.uuid)
        hub.lists.changed(user, isOwn: false)
    }

    /// Takes up answers that a snapshot shows and the hub does not know, so that what grows of them
    /// follows on.
    package func adopt(_ growing: [GrowingAnswer], in conversation: ConversationID) async {
        let unknown = growing.contains { answer in
            hub.liveAnswer(answer.message, in: conversation) == nil
                && !dispatcher.isMaking(answer.message)
        }
        guard unknown else { return }
        await events.read(conversation)
        await peers.remote.meet(conversation)
    }

    /// A subscription has its snapshot: what came since, while nothing could be sent, is read now.
    package func activated(_ conversation: ConversationID) { events.activated(conversation) }

    // MARK: Notifications

    private func receive(_ news: BusNews, _ accountChanged: (UserID) -> Void) {
        guard !isStopped else { return }
        switch news {
        case .missed:
            hub.lists.look()
            allAreDue = true
            loop.spawn { [weak self] in await self?.look() }
            dispatcher.wake()
        case .wakeUp(.account(let user)): accountChanged(user)
        case .wakeUp(let wakeUp): receive(wakeUp)
        }
    }

    private func receive(_ wakeUp: WakeUp) {
        switch wakeUp {
        case .events(let conversation): events.catchUp(conversation)
        case .gone(let conversation): dispatcher.stopAll(in: conversation)
        case .queue: dispatcher.wake()
        case .user(let user): hub.lists.changed(user, isOwn: false)
        case .text(let conversation): peers.remote.changed(conversation)
        case .watched(let conversation): peers.shared.watched(conversation)
        case .stop: loop.spawn { [dispatcher] in await dispatcher.applyStopRequests() }
        case .standing(let user): revocations.changed(user)
        case .present(let conversation, let user): presence.heard(user, in: conversation)
        case .absent(let conversation, let user): presence.heardLeaving(user, conversation)
        case .typing(let conversation, let user): presence.heardTyping(user, in: conversation)
        case .account, .nodes: break
        }
    }

    // MARK: Rights

    /// A user may do less than before, and that is committed: their runs end where they may not ask any
    /// more, on whichever node.
    package func standingChanged(of user: UserID) {
        revocations.changed(user)
        bus.send(.standing(user))
    }

    /// Stops a user's runs where they may not ask any more, on whichever node.
    func stopRevoked(of user: UserID) async { await revocations.stopRevoked(of: user) }

    /// Publishes what became of conversations' members, and ends the subscriptions of those who are none
    /// any more, here and on other nodes.
    package func tellMembers(_ events: [ConversationID: [ServerEvent]]) {
        for (conversation, events) in events {
            self.events.publish(events, in: conversation, isOwn: true)
            bus.send(.events(conversation))
        }
    }

    // MARK: Looking

    /// Compares what the hub has published with what the database knows.
    private func look() async {
        registerAudience()
        events.forgetUnwatched()
        // Somebody's departure may be among what could not be read.
        let isInTurns = !allAreDue && !isDeaf && !events.takeFailure()
        allAreDue = false
        let due = isInTurns ? Array(round.next { hub.conversations }) : hub.conversations
        for part in due.parts(of: Self.lookLimit) {
            var last: [ConversationID: Int64] = [:]
            for conversation in part { last[conversation] = hub.lastTold(in: conversation) }
            guard !last.isEmpty else { continue }
            guard let numbers = try? await store.nodes.eventNumbers(after: last) else {
                allAreDue = true
                break
            }
            events.catchUp(numbers)
        }
        await peers.shared.look()
        if bus.hasOthers || !peers.remote.isEmpty { await peers.remote.look() }
    }

    /// Tells the bus of what this node is to be notified from now on, and of what no more.
    private func registerAudience() {
        var (watching, ended): (Set<UUID>, Set<UUID>) = ([], [])
        for conversation in hub.takeChangedConversations() {
            if hub.isWatched(conversation) {
                watching.insert(conversation.uuid)
            } else {
                ended.insert(conversation.uuid)
            }
        }
        for user in hub.lists.takeChangedUsers() {
            if hub.lists.isConnected(user) {
                watching.insert(user.uuid)
            } else {
                ended.insert(user.uuid)
            }
        }
        if !watching.isEmpty || !ended.isEmpty { bus.change(watching: watching, ended: ended) }
    }
}
