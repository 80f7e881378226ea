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
    private(set) var pool: EnginePool?
    var runs: [UInt64: ActiveRun] = [:]
    /// Claimed answers whose engine has not begun or whose end is not stored yet.
    var claims: Set<MessageID> = []
    /// Those of them that wait for the database alone: their slots are free.
    var ending: Set<MessageID> = []
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
        logger: Logger
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.configuration = configuration
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

    // MARK: Beginning

    private func begin(_ claim: ClaimedRun, with pool: EnginePool) async {
        if claim.attempt > configuration.attemptsMax {
            logger.error("an answer failed too often", metadata: ["message": "\(claim.message)"])
            let error = WireError(.engineFailed, "this answer failed repeatedly; ask differently")
            await end(claim, RunOutcome(text: "", state: .failed, finish: .error, error: error))
            return
        }
        do {
            let input = try await store.input(of: claim, messageLimit: pool.messageLimit)
            if pool.board.isWaiting(for: input.model) {
                // Its conversation was given that model after the claim.
                try await store.releaseLeases(node: configuration.node, of: claim.message)
                claims.remove(claim.message)
                return
            }
            let model = try pool.engine(for: input.model)
            let prompt = try model.promptBuilder.build(
                systemPrompt: input.systemPrompt,
                branch: input.branch,
                olderMessageCount: input.olderMessageCount,
                maxNewTokens: input.settings.maxTokens ?? configuration.maxTokens
            )
            let request = try pool.submit(prompt, sampling: sampling(input.settings), to: model)
            runs[request] = ActiveRun(
                claim: claim,
                receipt: prompt.receipt,
                engine: model.engine,
                request: request
            )
            announce(claim)
        } catch {
            await fail(claim, error)
        }
    }

    private func sampling(_ settings: GenerationSettings) throws -> SamplingParameters {
        try SamplingParameters(
            temperature: settings.temperature ?? configuration.temperature,
            topP: settings.topP ?? 1
        )
    }

    func announce(_ claim: ClaimedRun) {
        hub.startAnswer(
            LiveAnswer(conversation: claim.conversation, message: claim.message, run: claim.run)
        )
        if claim.isRestart {
            hub.tell(
                .messageRestarted(
                    MessageRestarted(
                        conversation: claim.conversation,
                        message: claim.message,
                        run: claim.run
                    )
                ),
                in: claim.conversation
            )
        }
    }

    /// A run that could not begin ends as failed, where that is its own fault; where the database is
    /// away, its lease runs out and it is claimed again.
    private func fail(_ claim: ClaimedRun, _ error: any Error) async {
        let told: WireError
        switch error {
        case PromptError.newestTurnTooLong(let tokens, let limit):
            told = WireError(
                .contextExceeded,
                "the system prompt and your message take \(tokens) tokens; beside the answer the "
                    + "model has room for \(limit): shorten them, or ask for a shorter answer"
            )
        case let error as WireError where error.code == .notFound:
            claims.remove(claim.message)
            return
        case let error as WireError:
            told = error
        case is PostgresError:
            logger.warning("a run could not begin", metadata: ["error": "\(error)"])
            claims.remove(claim.message)
            return
        default:
            logger.error("a run could not begin", metadata: ["error": "\(error)"])
            told = WireError(.engineFailed, "the engine could not take this answer")
        }
        await end(claim, RunOutcome(text: "", state: .failed, finish: .error, error: told))
    }
}
