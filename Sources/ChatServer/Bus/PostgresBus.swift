// The bus through PostgreSQL: LISTEN on one connection, NOTIFY to the channels of those nodes that asked for it. A
// table says which nodes live, another what each wants to be notified of.

package import ChatStore
package import EventLoop
package import FoundationEssentials
package import Logging
package import Postgres

/// Notifies other nodes through the database that they share.
package final class PostgresBus: Bus {
    /// Who this node is, and how it hears of the others.
    package struct Configuration {
        /// This node.
        package var node: UUID
        /// What people call it, in the table of nodes.
        package var name: String
        /// Where to listen: PostgreSQL itself, past any pooler of transactions. Nil to hear nothing,
        /// and look instead.
        package var listening: PostgresConfiguration?
        /// How often the node gives a sign of life.
        package var signInterval: Duration = .seconds(2)
        /// After how long without one a node counts as dead.
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
    /// What this node wants to be notified of, what of it the others know, and of what they do not know yet
    /// whether it is wanted.
    private var wanted: Set<UUID> = []
    private var registered: Set<UUID> = []
    private var unsettled: Set<UUID> = []
    /// Whether a sign of life was given of which the reply was lost: this node may have been new.
    private var isInDoubt = false
    /// Whether the others did not know for a while what this node wants to be notified of: notifications
    /// are missing, also where it listens.
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

    // MARK: Life

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
        // Where the database is unavailable, the others find out by the missing signs.
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

    // MARK: Hearing

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
            // Only others send on a node's own channel, and that may come before their sign of life.
            if notification.channel == WakeUp.channel(of: node) { hasOthers = true }
            switch wakeUp {
            case .queue(let sender), .nodes(let sender):
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
        // What has no address goes out only where somebody may be there to hear it.
        if case .queue = wakeUp, !hasOthers { return }
        outgoing.insert(wakeUp)
        guard !isSending else { return }
        isSending = true
        loop.spawn { [self] in
            while !outgoing.isEmpty {
                let batch = outgoing
                outgoing = []
                // What is lost here, the others find by looking.
                do { try await nodes.send(batch, from: node) } catch {
                    logger.debug("sending notifications failed", metadata: ["error": "\(error)"])
                }
            }
            isSending = false
        }
    }

    // MARK: What this node wants to be notified of

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

    /// Brings the table up to what is wanted, one statement after the other, so that an end never
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
                // Who wants one of these again while the statement runs has to say so after it.
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
                    // The next sign of life tries again; until then looking has to do.
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
