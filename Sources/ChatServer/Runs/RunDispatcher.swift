// Executes the runs of a node: claims what waits, rebuilds its prompt from the database, gives that to an
// engine, broadcasts what it generates, and stores its end. When which of that happens, `Run` decides: here
// its events are raised and its actions executed. docs/develop/runs.md shows both.

package import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop
package import FoundationEssentials
import Inference
package import Logging

/// Executes the runs of this node.
package final class RunDispatcher {
    /// How runs are executed and leased.
    package struct Configuration {
        /// This node, in the leases that it holds.
        package var node = UUID()
        /// How long a lease holds.
        package var lease: Duration
        /// The longest answer where a conversation says nothing else, in tokens.
        package var maxTokens: Int
        /// The temperature where a conversation says nothing else.
        package var temperature: Double
        /// How many attempts without a checkpoint an answer has before it fails: one that crashes its
        /// server each time must not do so for ever.
        package var attemptsMax = 3
        /// How many attempts an answer has at all.
        package var triesMax = 20
        /// How often checkpoints are stored.
        package var checkpointInterval: Duration = .milliseconds(250)
        /// How often they are stored where somebody reads through another node.
        package var sharedCheckpointInterval: Duration = .milliseconds(50)
        /// What may run at a time for a user, or a team.
        package var limits = FairQueue.Limits()

        package init(lease: Duration, maxTokens: Int, temperature: Double) {
            self.lease = lease
            self.maxTokens = maxTokens
            self.temperature = temperature
        }
    }

    /// How far the node's shutdown is.
    enum Shutdown: Comparable {
        /// The node works.
        case none
        /// What runs may finish; nothing more is claimed.
        case draining
        /// Leases are given back.
        case releasing
    }

    let loop: EventLoop
    let store: Store
    let hub: ConversationHub
    let peers: any RunPeers
    let configuration: Configuration
    let logger: Logger
    /// Threads that build prompts.
    let promptWorkers: WorkerPool
    private(set) var pool: EnginePool?
    /// What this node has claimed.
    let runs: RunTable
    var quarantine = Quarantine()
    /// The queue of all nodes, as this one knows it.
    private(set) lazy var queue = QueueReader(self)
    /// Where runs stand in the queue, and how long they will wait.
    private(set) lazy var positions = QueuePositions(self)
    private(set) lazy var checkpoints = RunCheckpoints(self)
    private(set) lazy var leases = RunLeases(self)
    var preparation: RunPreparation { RunPreparation(dispatcher: self) }
    /// Summarizes when no run waits.
    private(set) lazy var summaries = SummaryMaker(self)
    /// What the engines have generated.
    let figures = RunFigures()
    var isClaiming = false
    var claimAgain = false
    var shutdown = Shutdown.none

    /// - Parameters:
    ///   - loop: where it lives.
    ///   - store: where queue, checkpoints and messages are.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - runs: an empty table, which the peers may read.
    ///   - peers: the other nodes.
    ///   - configuration: how runs are executed.
    ///   - promptWorkers: threads that build prompts.
    ///   - logger: where losses and failures are logged.
    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        runs: RunTable,
        peers: any RunPeers,
        configuration: Configuration,
        promptWorkers: WorkerPool,
        logger: Logger
    ) {
        self.loop = loop
        self.store = store
        self.hub = hub
        self.runs = runs
        self.peers = peers
        self.configuration = configuration
        self.promptWorkers = promptWorkers
        self.logger = logger
    }

    /// Begins to work with a pool whose events are given to `receive`.
    package func start(_ pool: EnginePool) {
        self.pool = pool
        leases.start()
        pollQueue()
        positions.startPulse()
        wake()
    }

    // MARK: What others ask

    /// How many runs this node has.
    package var activeCount: Int { runs.count }

    /// Whether this node has the run of a message, from its claim to its committed end.
    package func isMaking(_ message: MessageID) -> Bool { runs.holds(message) }

    /// Whether nothing more is claimed.
    var isDraining: Bool { shutdown >= .draining }

    /// Whether leases are given back.
    var isReleasing: Bool { shutdown == .releasing }

    /// Slots of the pool that neither runs nor a summary have; below zero where a run waits for that of
    /// a summary.
    var freeSlotCount: Int {
        guard let pool else { return 0 }
        return pool.slots - runs.occupiedSlotCount - (summaries.isMaking ? 1 : 0)
    }

    // MARK: Events and actions

    /// Gives an event to a run, and executes the actions that follow.
    func handle(_ event: Run.Event, of run: ActiveRun, at time: ContinuousClock.Instant? = nil) {
        let hadSlot = run.state.occupiesSlot
        for action in run.handle(event, at: time ?? loop.now) { execute(action, for: run) }
        if hadSlot, !run.state.occupiesSlot { claim() }
    }

    private func execute(_ action: Run.Action, for run: ActiveRun) {
        switch action {
        case .prepare: loop.spawn { [self] in await preparation.prepare(run) }
        case .submit: submit(run)
        case .cancel: run.cancelGeneration()
        case .store: loop.spawn { [self] in await store(run) }
        case .follow: follow(run.claim)
        case .forget: forget(run)
        }
    }

    /// Lets subscribers here follow what the run that took over generates. They have the text so far, and
    /// must not get it again as if it were new.
    private func follow(_ claim: ClaimedRun) {
        if hub.isWatched(claim.conversation) {
            peers.lost(claim)
        } else {
            hub.dropAnswer(claim.message, in: claim.conversation)
        }
    }

    private func forget(_ run: ActiveRun) {
        runs.remove(run)
        queue.left(run.claim.message)
        releaseQuarantine(of: run.claim.message)
        claim()
    }

    /// A run showed text, or is over here: the next quarantined one may begin.
    func releaseQuarantine(of message: MessageID) {
        guard let next = quarantine.release(message).flatMap({ runs[$0] }) else { return }
        handle(.begin, of: next)
    }

    // MARK: Stop requests

    /// Stops the run of a message, if this node has one. `RunStopper` also stops what other nodes have.
    /// - Parameters:
    ///   - message: whose run.
    ///   - seen: the UTF-8 byte up to which its reader had got; nil for all.
    ///   - arrival: when the request came; nil for now.
    /// - Returns: whether the run was still to be stopped, or is stopping already.
    package func stop(
        _ message: MessageID,
        seen: Int?,
        askedAt arrival: ContinuousClock.Instant? = nil
    ) -> Bool {
        guard let run = runs[message] else { return false }
        handle(.stop(StopRequest(seen: seen)), of: run, at: arrival)
        return run.state.stop != nil && run.state.phase != .ended
    }

    /// Stops the runs in a conversation that was deleted.
    func stopAll(in conversation: ConversationID) {
        for run in runs.all where run.claim.conversation == conversation {
            handle(.stop(StopRequest(seen: nil)), of: run)
        }
    }

    /// Stops the runs for which somebody made a stop request at another node, or before they began.
    package func applyStopRequests() async {
        guard let requests = try? await store.stopRequests(node: configuration.node) else { return }
        apply(requests)
    }

    func apply(_ requests: [MessageID: StopRequest]) {
        for (message, request) in requests { _ = stop(message, seen: request.seen) }
    }
}
