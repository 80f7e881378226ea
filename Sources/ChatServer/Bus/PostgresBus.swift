// The bus through PostgreSQL: LISTEN on one connection, NOTIFY on the channels of the nodes that
// are registered for a topic. One table lists the live nodes, another their topics.

package import ChatStore
package import EventLoop
package import FoundationEssentials
package import Logging
package import Postgres

/// Notifies other nodes through the shared database.
package final class PostgresBus: Bus {
    /// The node's identity, and how it receives notifications.
    package struct Configuration {
        /// This node's id.
        package var node: UUID
        /// The node's name for people, in the table of nodes.
        package var name: String
        /// Where to listen: a direct connection to PostgreSQL, without a transaction pooler. Nil to
        /// receive no notifications and poll instead.
        package var listening: PostgresConfiguration?
        /// Interval of heartbeats.
        package var signInterval: Duration = .seconds(2)
        /// Time without a heartbeat after which a node counts as dead.
        package var patience: Duration = .seconds(10)

        package init(node: UUID, name: String, listening: PostgresConfiguration?) {
            self.node = node
            self.name = name
            self.listening = listening
        }
    }

    package private(set) var isHearing = false
    package private(set) var hasOthers = false
    package var node: UUID { configuration.node }

    private let loop: EventLoop
    private let nodes: NodeStore
    private let configuration: Configuration
    private let logger: Logger
    /// Set while the bus runs.
    private var receive: ((BusNews) -> Void)?
    private var listener: PostgresListener?
    private var signs: LoopTask?
    private var isStopped = false
    /// The topics that this node wants; those that are registered in the database; and those whose
    /// registration is not known to match.
    private var wanted: Set<UUID> = []
    private var registered: Set<UUID> = []
    private var unsettled: Set<UUID> = []
    /// Whether a heartbeat's reply was lost: it may have registered this node anew.
    private var isInDoubt = false
    /// Whether this node's topics were not registered for a while: notifications are missing, even
    /// if it listens.
    private var hasMissed = false
    private var isRegistering = false
    private var waiters: [LoopPromise<Void, Never>] = []
    private var outgoing: Set<WakeUp> = []
    private var isSending = false

    package init(
        loop: EventLoop,
        nodes: NodeStore,
        configuration: Configuration,
        logger: Logger
    ) {
        self.loop = loop
        self.nodes = nodes
        self.configuration = configuration
        self.logger = logger
    }

    // MARK: Start and stop

    package func start(_ receive: @escaping (BusNews) -> Void) {
        self.receive = receive
        if let listening = configuration.listening {
            listener = PostgresListener(
                loop: loop,
                configuration: listening,
                channels: [WakeUp.channel(of: node), WakeUp.commonChannel]
            ) { [weak self] in self?.hear($0) }
        }
        signs = loop.spawn { [weak self, loop, interval = configuration.signInterval] in
            while let self, !self.isStopped {
                await self.sendHeartbeat()
                do { try await loop.sleep(for: interval) } catch { return }
            }
        }
    }

    package func stop() async {
        isStopped = true
        receive = nil
        signs?.cancel()
        await signs?.wait()
        await listener?.stop()
        isHearing = false
        // If the database is unavailable, the other nodes notice the missing heartbeats.
        try? await nodes.forget(node)
    }

    private func sendHeartbeat() async {
        guard
            let census = try? await nodes.sendHeartbeat(
                of: node,
                named: configuration.name,
                patience: configuration.patience
            )
        else {
            isInDoubt = true
            return
        }
        if let step = census.clockStep {
            logger.warning(
                "the database's clock was set back; leases follow",
                metadata: ["seconds": "\(step.components.seconds)"]
            )
            try? await nodes.followClock(setBackBy: step)
        }
        if hasOthers != (census.otherCount > 0) {
            hasOthers.toggle()
            logger.info("nodes", metadata: ["others": "\(census.otherCount)"])
        }
        if census.isNew || isInDoubt {
            isInDoubt = false
            hasMissed = hasMissed || !wanted.isEmpty
            registered = []
            unsettled.formUnion(wanted)
        }
        register()
    }

    // MARK: Receiving

    private func hear(_ event: PostgresListenerEvent) {
        switch event {
        case .listening:
            isHearing = true
            receive?(.missed)
        case .away(let error):
            if isHearing {
                logger.warning(
                    "notifications unavailable; polling",
                    metadata: ["reason": "\(error)"]
                )
            }
            isHearing = false
        case .notification(let notification):
            guard let wakeUp = WakeUp(payload: notification.payload) else { return }
            // Only other nodes send on a node's own channel, possibly before their first heartbeat.
            if notification.channel == WakeUp.channel(of: node) { hasOthers = true }
            switch wakeUp {
            case .queue(let sender), .nodes(let sender), .models(let sender), .engines(let sender):
                guard sender != node else { return }
                if case .nodes = wakeUp, !isStopped { loop.spawn { await self.sendHeartbeat() } }
            default: break
            }
            receive?(.wakeUp(wakeUp))
        }
    }

    // MARK: Sending

    package func send(_ wakeUp: WakeUp) {
        guard !isStopped else { return }
        // A notification for all nodes is sent only if there may be another one.
        if case .queue = wakeUp, !hasOthers { return }
        outgoing.insert(wakeUp)
        guard !isSending else { return }
        isSending = true
        loop.spawn { [self] in
            while !outgoing.isEmpty {
                let batch = outgoing
                outgoing = []
                // Other nodes find by polling what is lost here.
                do { try await nodes.send(batch, from: node) } catch {
                    logger.debug("sending notifications failed", metadata: ["error": "\(error)"])
                }
            }
            isSending = false
        }
    }

    // MARK: Topics

    package func watch(_ topic: UUID) async {
        wanted.insert(topic)
        guard !registered.contains(topic), !isStopped else { return }
        unsettled.insert(topic)
        let known = LoopPromise<Void, Never>(loop)
        waiters.append(known)
        register()
        await known.value(cancelled: { known.succeed(()) })
    }

    package func change(watching: Set<UUID>, ended: Set<UUID>) {
        wanted.formUnion(watching)
        wanted.subtract(ended)
        unsettled.formUnion(watching.subtracting(registered))
        unsettled.formUnion(ended)
        register()
    }

    /// Makes the table match the wanted topics, one statement at a time, so that an end never
    /// overtakes a beginning.
    private func register() {
        guard !isRegistering, !isStopped, !unsettled.isEmpty else { return }
        isRegistering = true
        loop.spawn { [self] in
            var isWorking = true
            while isWorking, !unsettled.isEmpty {
                let added = unsettled.filter { wanted.contains($0) }
                let removed = unsettled.subtracting(added)
                unsettled = []
                // If one of these is wanted again while the statement runs, it must be registered
                // again.
                registered.subtract(removed)
                let served = waiters
                waiters = []
                do {
                    if !added.isEmpty {
                        try await nodes.beginWatches(of: Array(added), by: node)
                    }
                    registered.formUnion(added)
                    if !removed.isEmpty {
                        try await nodes.endWatches(of: Array(removed), by: node)
                    }
                } catch {
                    // The next heartbeat tries again; until then the node polls.
                    unsettled.formUnion(added)
                    unsettled.formUnion(removed)
                    hasMissed = true
                    isWorking = false
                }
                for waiter in served { waiter.succeed(()) }
            }
            isRegistering = false
            let served = waiters
            waiters = []
            for waiter in served { waiter.succeed(()) }
            if hasMissed, isWorking {
                hasMissed = false
                receive?(.missed)
            }
        }
    }
}
