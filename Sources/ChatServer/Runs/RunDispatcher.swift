// Executes the runs of a node: claims queued runs, rebuilds their prompts from the database,
// submits them to an engine, broadcasts the text, and stores the outcome. `Run` decides when each
// of these happens: the dispatcher raises its events and executes its actions. docs/develop/runs.md
// shows both.

package import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop
package import FoundationEssentials
import Inference
package import Logging
import Traces

/// Executes the runs of this node.
package final class RunDispatcher {
    /// How runs are executed and leased.
    package struct Configuration {
        /// This node's id, in the leases that it holds.
        package var node = UUID()
        /// The duration of a lease.
        package var lease: Duration
        /// Default maximum length of an answer, in tokens.
        package var maxTokens: Int
        /// Default maximum length of a thinking part, in tokens; nil for half of the answer's.
        package var maxThinkingTokens: Int?
        /// Default temperature.
        package var temperature: Double
        /// Maximum attempts of an answer without a checkpoint, after which it fails: it may be what
        /// crashes its server.
        package var attemptsMax = 3
        /// Maximum attempts of an answer in total.
        package var triesMax = 20
        /// Interval of checkpoints.
        package var checkpointInterval: Duration = .milliseconds(250)
        /// Interval of checkpoints for conversations with readers on other nodes.
        package var sharedCheckpointInterval: Duration = .milliseconds(50)
        /// Limits on the concurrent runs of a user or a team.
        package var limits = FairQueue.Limits()
        /// Whether the model makes titles of conversations.
        package var makesTitles = false
        /// Maximum length of the texts of a prompt that is built on the loop, in bytes. A thread
        /// takes longer to wake up than such a prompt takes to tokenize.
        package var promptBytesOnLoop = 2048

        package init(lease: Duration, maxTokens: Int, temperature: Double) {
            self.lease = lease
            self.maxTokens = maxTokens
            self.temperature = temperature
        }
    }

    /// The phase of the node's shutdown.
    enum Shutdown: Comparable {
        /// The node is not shutting down.
        case none
        /// Runs may finish; nothing is claimed.
        case draining
        /// Leases are released.
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
    /// The runs that this node has claimed.
    let runs: RunTable
    /// The run in quarantine: its earlier attempts ended without text, and may be what its nodes
    /// died of. Others like it stay in the queue until it has generated text or has ended here, so
    /// that one cannot end another's attempt.
    var quarantined: MessageID?
    /// This node's copy of the queue of all nodes.
    private(set) lazy var queue = QueueReader(self)
    /// Queue positions and estimated starts.
    private(set) lazy var positions = QueuePositions(self)
    private(set) lazy var checkpoints = RunCheckpoints(self)
    private(set) lazy var leases = RunLeases(self)
    var preparation: RunPreparation { RunPreparation(dispatcher: self) }
    /// Generates summaries and titles when no run is queued.
    private(set) lazy var idleWork = IdleWork(self)
    /// Counters of the engines' work.
    let figures = RunFigures()
    /// Slots that are reserved for answers that are being stored.
    var offeredSlotCount = 0
    /// Models in standby that requests have asked for, and until when.
    var requestedModels: [String: ContinuousClock.Instant] = [:]
    var isClaiming = false
    var claimAgain = false
    var shutdown = Shutdown.none
    /// Makes the spans of runs; nil if the settings want no traces.
    var tracer: RecordingTracer?

    /// - Parameters:
    ///   - loop: the loop that it runs on.
    ///   - store: has the queue, checkpoints and messages.
    ///   - hub: broadcasts to subscribers of this node.
    ///   - runs: an empty table, which the peers may read.
    ///   - peers: the other nodes.
    ///   - configuration: how runs are executed.
    ///   - promptWorkers: threads that build prompts.
    ///   - logger: logs lost leases and failures.
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

    /// Starts to execute runs with a pool whose events are passed to `receive`.
    package func start(_ pool: EnginePool) {
        self.pool = pool
        leases.start()
        pollQueue()
        positions.startPulse()
        wake()
    }

    // MARK: State

    /// The number of runs that this node has.
    package var activeCount: Int { runs.count }

    /// Whether this node has the run of a message, from its claim to its committed end.
    package func isMaking(_ message: MessageID) -> Bool { runs.holds(message) }

    /// Whether the server still has something to generate for itself.
    package var hasIdleWork: Bool { !idleWork.isEmpty }

    /// Whether nothing more is claimed.
    var isDraining: Bool { shutdown >= .draining }

    /// Whether leases are released.
    var isReleasing: Bool { shutdown == .releasing }

    /// Slots of the pool without a run or an idle task; negative while a run waits for an idle
    /// task's slot.
    var freeSlotCount: Int {
        guard let pool else { return 0 }
        return pool.slots - runs.occupiedSlotCount - offeredSlotCount
            - (idleWork.isGenerating ? 1 : 0)
    }

    // MARK: Events and actions

    /// Begins a run that this node has claimed.
    func begin(_ run: ActiveRun) {
        run.trace = tracer.flatMap { RunTrace(run.claim, $0) }
        runs.add(run)
        run.trace?.begin(.prompt)
        loop.spawn { [self] in await preparation.prepare(run) }
    }

    /// Applies an event to a run, and executes the resulting actions.
    func handle(_ event: Run.Event, of run: ActiveRun, at time: ContinuousClock.Instant? = nil) {
        let hadSlot = run.state.occupiesSlot
        for action in run.handle(event, at: time ?? loop.now) { execute(action, for: run) }
        guard hadSlot, !run.state.occupiesSlot else { return }
        finishUnloading()
        claim()
    }

    private func execute(_ action: Run.Action, for run: ActiveRun) {
        switch action {
        case .submit: submit(run)
        case .cancel: run.cancelGeneration()
        case .store: loop.spawn { [self] in await store(run) }
        case .follow: follow(run.claim)
        case .forget: forget(run)
        }
    }

    /// Lets subscribers here follow the run that took over. They have the text so far, which must
    /// not be sent to them again.
    private func follow(_ claim: ClaimedRun) {
        if hub.isWatched(claim.conversation) {
            peers.lost(claim)
        } else {
            hub.dropAnswer(claim.message, in: claim.conversation)
        }
    }

    private func forget(_ run: ActiveRun) {
        run.trace?.end()
        runs.remove(run)
        queue.left(run.claim.message)
        if quarantined == run.claim.message { quarantined = nil }
        claim()
    }

    /// Ends the quarantine of a run that has generated text, if it is in it.
    func releaseQuarantine(of message: MessageID) {
        guard quarantined == message else { return }
        quarantined = nil
        claim()
    }

    // MARK: Stop requests

    /// Stops the run of a message, if this node has one. `RunStopper` also stops other nodes' runs.
    /// - Parameters:
    ///   - message: the message.
    ///   - seen: the UTF-8 byte up to which the reader had the text; nil for all.
    ///   - arrival: when the request arrived; nil for now.
    /// - Returns: whether the run could still be stopped, or is being stopped already.
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

    /// Applies stop requests that were made on other nodes, or before the runs began.
    package func applyStopRequests() async {
        guard let requests = try? await store.queue.stopRequests(node: configuration.node) else {
            return
        }
        apply(requests)
    }

    func apply(_ requests: [MessageID: StopRequest]) {
        for (message, request) in requests { _ = stop(message, seen: request.seen) }
    }
}
