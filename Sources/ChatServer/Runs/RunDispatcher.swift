// From the queue to the engine and back: claims what waits, rebuilds its prompt from the database, hands
// it to the engine, tells its watchers what grows, and stores its end.
//
// A claim is a lease. While the node lives it renews its leases; where it dies, they run out and the
// answer is made anew by whoever claims it next.

import ChatCore
import ChatProtocol
package import ChatStore
package import EventLoop
package import FoundationEssentials
import Inference
package import Logging
import Postgres

/// Makes the answers of this node.
package final class RunDispatcher {
    /// How runs are made and leased.
    package struct Configuration {
        /// This node, in the leases that it holds.
        package var node = UUID()
        /// How long a lease holds.
        package var lease: Duration
        /// The longest answer where a conversation says nothing else, in tokens.
        package var maxTokens: Int
        /// The temperature where a conversation says nothing else.
        package var temperature: Double
        /// How often an answer is tried before it counts as failed: one that kills its node each
        /// time must not do so for ever.
        package var attemptsMax = 3

        package init(lease: Duration, maxTokens: Int, temperature: Double) {
            self.lease = lease
            self.maxTokens = maxTokens
            self.temperature = temperature
        }
    }

    let loop: EventLoop
    let store: Store
    let hub: ConversationHub
    let configuration: Configuration
    let logger: Logger
    /// Threads that build prompts.
    let promptWorkers: WorkerPool
    private(set) var pool: EnginePool?
    var runs: [UInt64: ActiveRun] = [:]
    /// Claimed answers whose engine has not begun or whose end is not stored yet.
    var claims: Set<MessageID> = []
    /// Those of them that wait for the database alone: their slots are free.
    var ending: Set<MessageID> = []
    /// Those that shall end and whose engine has not begun.
    var stopsBeforeStart: Set<MessageID> = []
    private var isClaiming = false
    private var claimAgain = false
    /// Set while the node goes down: nothing more is begun.
    var isDraining = false
    /// Set when what still grows goes back to the queue.
    var isReleasing = false
    var placesAreDue = false

    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        configuration: Configuration,
        promptWorkers: WorkerPool,
        logger: Logger
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.configuration = configuration
        self.promptWorkers = promptWorkers
        self.logger = logger
    }

    /// Begins to work with a pool whose events are given to `receive`.
    package func start(_ pool: EnginePool) {
        self.pool = pool
        keepLeases()
        pollQueue()
        wake()
    }

    /// How many answers are being made here.
    package var activeCount: Int { claims.count }

    // MARK: Claiming

    /// Something may wait: call after each commit that queues, and whenever a slot is free.
    package func wake() {
        guard !isDraining, pool != nil else { return }
        guard !isClaiming else {
            claimAgain = true
            return
        }
        isClaiming = true
        loop.spawn { [self] in
            repeat {
                claimAgain = false
                while await claimNext() {}
            } while claimAgain
            isClaiming = false
            await tellPlaces()
        }
    }

    /// Claims as many answers as slots are free.
    /// - Returns: whether there may be more.
    private func claimNext() async -> Bool {
        guard let pool, !isDraining, ending.count < pool.slots * 8 else { return false }
        let free = pool.slots - claims.subtracting(ending).count
        guard free > 0 else { return false }
        do {
            let claimed = try await store.claimRuns(
                node: configuration.node,
                lease: configuration.lease,
                limit: free,
                models: pool.board.claimable
            )
            // One may be ours already: its lease ran out while the database was away.
            for claim in claimed where claims.insert(claim.message).inserted {
                loop.spawn { [self] in await begin(claim, with: pool) }
            }
            return !claimed.isEmpty
        } catch {
            // Each poll tries again; the pool has logged that the database is away.
            logger.debug("nothing claimed", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Looks at the queue once a second, for what no wake-up told of: leases that ran out.
    private func pollQueue() {
        _ = loop.schedule(after: .seconds(1)) { [weak self] in
            guard let self, !self.isDraining else { return }
            self.wake()
            self.pollQueue()
        }
    }
}
