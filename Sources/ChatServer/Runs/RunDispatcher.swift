// From the queue to the engine and back: claims what waits, rebuilds its prompt from the database, hands
// it to the engine, tells its watchers what grows, and stores its end.
//
// A claim is a lease. While the node lives it renews its leases; where it dies, they run out and the
// answer is made anew by whoever claims it next.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop
package import FoundationEssentials
package import Inference
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

    private let loop: EventLoop
    private let store: Store
    private let hub: ConversationHub
    private let configuration: Configuration
    private let logger: Logger
    private(set) var pool: EnginePool?
    private var runs: [UInt64: ActiveRun] = [:]
    /// Claimed answers whose engine has not begun or whose end is not stored yet.
    private var claims: Set<MessageID> = []
    private var isClaiming = false
    private var claimAgain = false
    /// Set while the node goes down: nothing more is begun.
    private var isDraining = false
    /// Set when what still grows goes back to the queue.
    private var isReleasing = false
    private var placesAreDue = false

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

    /// Claims one answer where a slot is free.
    /// - Returns: whether there may be more.
    private func claimNext() async -> Bool {
        guard let pool, !isDraining, claims.count < pool.slots else { return false }
        do {
            guard
                let claim = try await store.claimRun(
                    node: configuration.node,
                    lease: configuration.lease
                )
            else { return false }
            // An answer of ours whose lease ran out while the database was away.
            guard claims.insert(claim.message).inserted else { return false }
            loop.spawn { [self] in await begin(claim, with: pool) }
            return true
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
            let prompt = try pool.promptBuilder.build(
                systemPrompt: input.systemPrompt,
                branch: input.branch,
                olderMessageCount: input.olderMessageCount,
                maxNewTokens: input.settings.maxTokens ?? configuration.maxTokens
            )
            let request = try pool.submit(prompt, sampling: sampling(input.settings))
            runs[request] = ActiveRun(claim: claim, receipt: prompt.receipt, request: request)
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

    private func announce(_ claim: ClaimedRun) {
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
                "the system prompt and your message take \(tokens) tokens of \(limit); shorten them"
            )
        case let error as WireError where error.code == .notFound:
            claims.remove(claim.message)
            return
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

    // MARK: Running

    /// Takes what the engine's last step brought.
    package func receive(_ events: [TokenEvent]) {
        for event in events {
            switch event {
            case .started(let id, let promptTokens, let cachedTokens):
                guard let run = runs[id] else { continue }
                hub.tell(
                    .messageStarted(
                        MessageStarted(
                            conversation: run.claim.conversation,
                            message: run.claim.message,
                            run: run.claim.run,
                            promptTokens: promptTokens,
                            cachedTokens: cachedTokens,
                            droppedMessages: run.receipt.droppedMessages
                        )
                    ),
                    in: run.claim.conversation
                )
            case .progress(let id, let done, let total):
                guard let run = runs[id] else { continue }
                hub.tell(
                    .messageProgress(
                        MessageProgress(
                            conversation: run.claim.conversation,
                            message: run.claim.message,
                            done: done,
                            total: total
                        )
                    ),
                    in: run.claim.conversation
                )
            case .text(let id, let text, _):
                guard let run = runs[id] else { continue }
                runs[id]?.text += text
                hub.append(text, to: run.claim.message, in: run.claim.conversation)
            case .finished(let id, let completion):
                complete(id) { $0.outcome(completion) }
            case .failed(let id, let error):
                logger.error("the engine failed", metadata: ["error": "\(error)"])
                complete(id) {
                    $0.outcome(WireError(.engineFailed, "the engine failed on this answer"))
                }
            }
        }
    }

    private func complete(_ request: UInt64, _ outcome: (ActiveRun) -> RunOutcome) {
        guard let run = runs.removeValue(forKey: request) else { return }
        guard !isReleasing || run.stop != nil else { return }
        let outcome = outcome(run)
        loop.spawn { [self] in await end(run.claim, outcome) }
    }

    /// Stops an answer that is being made here.
    /// - Returns: whether it is.
    package func stop(_ message: MessageID, seen: Int?) -> Bool {
        guard let (request, _) = runs.first(where: { $0.value.claim.message == message }) else {
            return false
        }
        if runs[request]?.stop == nil { runs[request]?.stop = ActiveRun.Stop(seen: seen) }
        pool?.cancel(request)
        return true
    }

    /// Stops all answers of a conversation that was deleted.
    func stopAll(in conversation: ConversationID) {
        for run in runs.values where run.claim.conversation == conversation {
            _ = stop(run.claim.message, seen: nil)
        }
    }

    // MARK: Ending

    /// Stores an end, however long the database is away: the text exists nowhere else.
    private func end(_ claim: ClaimedRun, _ outcome: RunOutcome) async {
        var pause = Duration.milliseconds(100)
        while true {
            do {
                if let event = try await store.finish(claim, outcome) {
                    hub.publish([event], in: claim.conversation)
                } else {
                    hub.dropAnswer(claim.message, in: claim.conversation)
                }
                break
            } catch let error as PostgresError where error.isPassing {
                logger.warning("an answer waits for the database", metadata: ["error": "\(error)"])
                do { try await loop.sleep(for: pause) } catch { break }
                pause = min(pause * 2, .seconds(2))
            } catch {
                logger.error("an answer could not be stored", metadata: ["error": "\(error)"])
                hub.dropAnswer(claim.message, in: claim.conversation)
                break
            }
        }
        claims.remove(claim.message)
        wake()
    }

    // MARK: Leases

    private func keepLeases() {
        _ = loop.schedule(after: configuration.lease / 3) { [weak self] in
            guard let self, !self.isDraining else { return }
            self.loop.spawn { await self.renewLeases() }
            self.keepLeases()
        }
    }

    private func renewLeases() async {
        let messages = Array(claims)
        guard !messages.isEmpty,
            let ours = try? await store.renewLeases(
                of: messages,
                node: configuration.node,
                lease: configuration.lease
            )
        else { return }
        // A run that another node has taken over is not ours to tell of any more.
        for run in runs.values where !ours.contains(run.claim.message) {
            guard messages.contains(run.claim.message) else { continue }
            logger.warning("lost a run", metadata: ["message": "\(run.claim.message)"])
            runs[run.request] = nil
            claims.remove(run.claim.message)
            pool?.cancel(run.request)
            hub.dropAnswer(run.claim.message, in: run.claim.conversation)
        }
    }

    /// Ends the node's work: what grows may go on for a while, and what is not done then goes back to
    /// the queue, to be made by the next node or this one's next life.
    package func drain(within period: Duration) async {
        isDraining = true
        let deadline = loop.now + period
        while !claims.isEmpty, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { break }
        }
        isReleasing = true
        for request in runs.keys { pool?.cancel(request) }
        do {
            try await store.releaseLeases(node: configuration.node)
        } catch {
            logger.warning(
                "leases not released; they run out by themselves",
                metadata: ["error": "\(error)"]
            )
        }
    }

    // MARK: Places

    /// Tells those who wait how many are before them; at most four times a second.
    private func tellPlaces() async {
        guard !placesAreDue else { return }
        placesAreDue = true
        defer { placesAreDue = false }
        guard let places = try? await store.waitingPlaces(limit: 200) else { return }
        for place in places {
            hub.tell(
                .messageQueued(
                    MessageQueued(
                        conversation: place.conversation,
                        message: place.message,
                        position: place.position
                    )
                ),
                in: place.conversation
            )
        }
        if !places.isEmpty { try? await loop.sleep(for: .milliseconds(250)) }
    }
}
