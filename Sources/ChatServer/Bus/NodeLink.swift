// What ties a node to the others: whatever they write reaches the watchers of this one. News comes by
// the bus; looking into the database heals what the bus has lost.

package import ChatProtocol
package import ChatStore
package import EventLoop
import FoundationEssentials
package import Logging

/// Keeps a node's hub abreast of what happens on other nodes.
package final class NodeLink {
    package let bus: any Bus
    private let loop: EventLoop
    let store: Store
    let hub: ConversationHub
    let dispatcher: RunDispatcher
    private let logger: Logger
    /// Is told of users whose sign-ins may have ended, or whose rights have changed.
    var accountChanged: ((UserID) -> Void)?
    /// Is told of conversations that other nodes have deleted, or messages of, where they are watched here.
    package var onDeletion: ((ConversationID) -> Void)? {
        get { events.onDeletion }
        set { events.onDeletion = newValue }
    }
    /// Tells the hub what others have written.
    let events: EventReader
    /// What this node's answers owe to watchers on other nodes.
    package let shared: SharedAnswers
    private let remote: RemoteAnswers
    /// Ends answers whose askers lost the right to them.
    private let rights: RightsKeeper
    /// Who is in which conversation.
    package let presence: PresenceKeeper
    private var looking: LoopTask?
    private var isStopped = false
    /// All conversations in turn: each is looked at once a minute, a hundred of them every second.
    private var round = Round<ConversationID>(turnCountMax: 60, least: 100)
    /// Whether none may wait for their turn: wake-ups were lost, or the database was away.
    private var allAreDue = false

    /// So many conversations are looked at in one go, that others do not wait for all.
    private static let lookLimit = 200

    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        dispatcher: RunDispatcher,
        bus: any Bus,
        logger: Logger
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.dispatcher = dispatcher
        self.bus = bus
        self.logger = logger
        shared = SharedAnswers(loop: loop, store: store, dispatcher: dispatcher, bus: bus)
        rights = RightsKeeper(loop: loop, store: store, hub: hub, dispatcher: dispatcher)
        events = EventReader(loop: loop, store: store, hub: hub)
        presence = PresenceKeeper(loop: loop, store: store, hub: hub, bus: bus)
        remote = RemoteAnswers(
            loop: loop,
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            events: events,
            node: bus.node
        )
    }

    /// Begins to listen and to look.
    package func start() {
        dispatcher.isWatchedElsewhere = { [shared] in shared.isWatchedElsewhere($0) }
        dispatcher.tellMissed = { [events] in await events.read($0, upTo: $1) }
        dispatcher.onKept = { [shared] in shared.grew($0) }
        dispatcher.onLost = { [remote] in remote.follow($0) }
        store.onRunBegins = { [shared] in shared.begins(in: $0) }
        hub.onTold = { [shared] in shared.note($0, in: $1) }
        bus.start { [weak self] in self?.receive($0) }
        looking = loop.spawn { [weak self, loop] in
            while let pause = self?.pause {
                do { try await loop.sleep(for: pause) } catch { return }
                await self?.look()
            }
        }
    }

    /// Says goodbye to the other nodes.
    package func stop() async {
        isStopped = true
        looking?.cancel()
        await looking?.wait()
        await bus.stop()
    }

    /// How long until the next look: rarely where wake-ups arrive, or nobody else is there.
    private var pause: Duration { isDeaf ? .milliseconds(150) : .seconds(1) }

    /// Whether others write and no wake-up tells of it.
    private var isDeaf: Bool { bus.hasOthers && !bus.isHearing }

    // MARK: Watching

    /// Makes sure that other nodes wake this one for a conversation. To be called between the
    /// beginning of a watch and the reading of its snapshot, so that nothing falls between.
    package func join(_ conversation: ConversationID) async {
        await bus.watch(conversation.uuid)
        // Where others watch already, the hub is abreast of what grows elsewhere.
        if bus.hasOthers, hub.lastTold(in: conversation) == nil { await remote.meet(conversation) }
    }

    /// Makes sure that other nodes wake this one for the list of a user who is connected here.
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
        await remote.meet(conversation)
    }

    /// A watch has its snapshot: what came since, while nobody could be told, is read now.
    package func activated(_ conversation: ConversationID) { events.activated(conversation) }

    // MARK: News

    private func receive(_ news: BusNews) {
        guard !isStopped else { return }
        switch news {
        case .missed:
            hub.lists.look()
            allAreDue = true
            loop.spawn { [weak self] in await self?.look() }
            dispatcher.wake()
        case .wakeUp(let wakeUp): receive(wakeUp)
        }
    }

    private func receive(_ wakeUp: WakeUp) {
        switch wakeUp {
        case .events(let conversation): events.catchUp(conversation)
        case .gone(let conversation): dispatcher.stopAll(in: conversation)
        case .queue: dispatcher.wake()
        case .account(let user): accountChanged?(user)
        case .user(let user): hub.lists.changed(user, isOwn: false)
        case .text(let conversation): remote.changed(conversation)
        case .watched(let conversation): shared.watched(conversation)
        case .stop: loop.spawn { [dispatcher] in await dispatcher.obeyStopWishes() }
        case .standing(let user): rights.changed(of: user)
        case .present(let conversation, let user): presence.heard(user, in: conversation)
        case .absent(let conversation, let user): presence.heardLeaving(user, conversation)
        case .typing(let conversation, let user): presence.heardTyping(user, in: conversation)
        case .nodes: break
        }
    }

    // MARK: Stops

    /// Has another node end an answer that it makes, or whoever makes it next.
    package func stop(_ message: MessageID, seen: Int?) async throws {
        if try await store.requestStop(message, seen: seen) { bus.send(.stop(message)) }
    }

    // MARK: Rights

    /// A user may do less than before, and that is committed: their answers end where they may not
    /// ask any more, on whichever node.
    package func standingChanged(of user: UserID) {
        rights.changed(of: user)
        bus.send(.standing(user))
    }

    /// Tells what became of conversations' members, and ends the watches of those who are none any
    /// more, here and on other nodes.
    package func tellMembers(_ events: [ConversationID: [ServerEvent]]) {
        for (conversation, events) in events {
            self.events.publish(events, in: conversation, isOwn: true)
            bus.send(.events(conversation))
        }
    }

    // MARK: Looking

    /// Compares what the hub has told with what the database knows.
    private func look() async {
        tellAudience()
        events.forgetUnwatched()
        // Somebody's departure may be among what could not be read.
        let isInTurns = !allAreDue && !isDeaf && !events.takeFailure()
        allAreDue = false
        let due = isInTurns ? Array(round.next { hub.conversations }) : hub.conversations
        for part in due.parts(of: Self.lookLimit) {
            var told: [ConversationID: Int64] = [:]
            for conversation in part { told[conversation] = hub.lastTold(in: conversation) }
            guard !told.isEmpty else { continue }
            guard let numbers = try? await store.nodes.eventNumbers(after: told) else {
                allAreDue = true
                break
            }
            events.catchUp(numbers)
        }
        await rights.look()
        await shared.look()
        if bus.hasOthers || !remote.isEmpty { await remote.look() }
    }

    /// Tells the bus for whom this node is to be woken from now on, and for whom no more.
    private func tellAudience() {
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
