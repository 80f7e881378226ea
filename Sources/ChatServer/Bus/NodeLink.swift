// Brings what other nodes write to this node's subscribers. The bus carries notifications; polling
// the database finds those that were lost.

package import ChatProtocol
package import ChatStore
package import EventLoop
import FoundationEssentials
package import Logging

/// Keeps a node's hub up to date with changes made on other nodes.
package final class NodeLink {
    package let bus: any Bus
    private let loop: EventLoop
    private let store: Store
    let hub: ConversationHub
    private let dispatcher: RunDispatcher
    private let peers: NodePeers
    /// Publishes events that other nodes have written.
    var events: EventReader { peers.events }
    /// Stops runs on any node.
    package let stopper: RunStopper
    /// Who is present in which conversation.
    package let presence: Presence
    /// Stops runs whose users lost the right to them.
    private let revocations: RevocationSweeper
    /// Called when administrators' choices of models may have changed on another node.
    package var modelsChanged: () -> Void = {}
    /// Called when another node removed engines that running answers leave at once.
    package var enginesLeft: () -> Void = {}
    private var looking: LoopTask?
    private var isStopped = false
    /// All conversations in turn: each is polled once a minute, at least a hundred every second.
    private var round = Round<ConversationID>(turnCountMax: 60, least: 100)
    /// Whether all conversations are due: notifications were lost, or the database was unavailable.
    private var allAreDue = false

    /// Maximum conversations that are polled at once, so that other work need not wait for all.
    private static let lookLimit = 200

    /// - Parameters:
    ///   - loop: the loop that it runs on.
    ///   - store: the database that the nodes share.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - dispatcher: executes this node's runs.
    ///   - peers: the same as the dispatcher's; they have the bus.
    ///   - logger: logs stop requests.
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

    /// Starts to receive notifications and to poll.
    /// - Parameter accountChanged: called with users whose sign-ins may have ended, or whose rights
    ///   have changed, on another node.
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

    /// Time until the next poll: longer if notifications arrive, or there is no other node.
    private var pause: Duration { isDeaf ? .milliseconds(150) : .seconds(1) }

    /// Whether other nodes write and their notifications do not arrive.
    private var isDeaf: Bool { bus.hasOthers && !bus.isHearing }

    // MARK: Subscriptions

    /// Registers this node for notifications of a conversation. Call it after a subscription has
    /// begun and before its snapshot is read, so that no event is missed.
    package func join(_ conversation: ConversationID) async {
        await bus.watch(conversation.uuid)
        // With earlier subscribers the hub already has the running answers of other nodes.
        if bus.hasOthers, hub.lastTold(in: conversation) == nil {
            await peers.remote.meet(conversation)
        }
    }

    /// Registers this node for notifications of a connected user's list.
    package func join(_ user: UserID) async {
        // If other nodes start later, a poll has registered the user by then.
        guard bus.hasOthers else { return }
        await bus.watch(user.uuid)
        hub.lists.changed(user, isOwn: false)
    }

    /// Follows answers that a snapshot contains and the hub does not know, so that their later text
    /// is delivered.
    /// - Returns: whether all of them are followed. If not, some have ended or the database was
    ///   unavailable: read the snapshot again.
    package func adopt(_ growing: [GrowingAnswer], in conversation: ConversationID) async -> Bool {
        func areKnown() -> Bool {
            growing.allSatisfy { answer in
                hub.liveAnswer(answer.message, in: conversation) != nil
                    || dispatcher.isMaking(answer.message)
            }
        }
        if areKnown() { return true }
        await events.read(conversation)
        await peers.remote.meet(conversation)
        return areKnown()
    }

    /// Reads the events since a subscription's snapshot, which could not be delivered before.
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
            modelsChanged()
        case .wakeUp(.account(let user)): accountChanged(user)
        case .wakeUp(let wakeUp): receive(wakeUp)
        }
    }

    private func receive(_ wakeUp: WakeUp) {
        switch wakeUp {
        case .events(let conversation): events.catchUp(conversation)
        case .gone(let conversation): dispatcher.stopAll(in: conversation)
        case .queue: dispatcher.wake()
        case .models: modelsChanged()
        case .engines: enginesLeft()
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

    /// Stops a user's runs that they may no longer request, on any node. Call it after the commit
    /// that reduced their rights.
    package func standingChanged(of user: UserID) {
        revocations.changed(user)
        bus.send(.standing(user))
    }

    /// Stops a user's runs that they may no longer request, on any node.
    func stopRevoked(of user: UserID) async { await revocations.stopRevoked(of: user) }

    /// Publishes changes of conversations' members, and ends the subscriptions of removed members,
    /// here and on other nodes.
    package func tellMembers(_ events: [ConversationID: [ServerEvent]]) {
        for (conversation, events) in events {
            self.events.publish(events, in: conversation, isOwn: true)
            bus.send(.events(conversation))
        }
    }

    // MARK: Polling

    /// Compares the events that the hub has published with the database.
    private func look() async {
        registerAudience()
        events.forgetUnwatched()
        // The events that could not be read may include a member's removal.
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

    /// Registers and deregisters topics of notifications as connections and subscriptions change.
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
