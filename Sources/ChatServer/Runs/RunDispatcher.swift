// From the queue to the engine and back: claims what waits, rebuilds its prompt from the database, hands
// it to the engine, tells its watchers what grows, and stores its end.
//
// A claim is a lease. While the node lives it renews its leases; where it dies, they run out and
// whoever claims the answer next goes on from the text that was kept.

package import ChatCore
package import ChatProtocol
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
        /// How often an answer is tried without a word of it being kept before it counts as failed:
        /// one that kills its node each time must not do so for ever.
        package var attemptsMax = 3
        /// How often an answer is tried at all.
        package var triesMax = 20
        /// How often the text of growing answers is kept.
        package var keepInterval: Duration = .milliseconds(250)
        /// How often it is kept where somebody watches it through another node.
        package var hurriedKeepInterval: Duration = .milliseconds(50)

        /// What a user, or a team, may have in the making.
        package var limits = FairQueue.Limits()

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
    /// What makes summaries when no answer waits.
    private(set) lazy var summaries = SummaryMaker(self)
    var runs: [UInt64: ActiveRun] = [:]
    /// What the engines have made of it.
    let figures = RunFigures()
    /// Claimed answers whose engine has not begun or whose end is not stored yet.
    var claims: Set<MessageID> = [] {
        didSet { if claims.count < oldValue.count { leave(oldValue.subtracting(claims)) } }
    }
    /// Those of them that wait for the database alone: their slots are free.
    var ending: Set<MessageID> = []
    /// Those of them that their engine was told to stop: their slots are free after its step, and what
    /// comes next is claimed and prepared within it.
    var stopping: Set<MessageID> = []
    /// Those that shall end and whose engine has not begun.
    var stopsBeforeStart: [MessageID: ActiveRun.Stop] = [:]
    /// How far keeping the texts is.
    var keeping = Keeping()
    /// The answer with tries that ended without a word of which the next word is awaited.
    var suspect: MessageID?
    /// Others of that kind.
    var waitingSuspects: [ClaimedRun] = []
    /// Whether somebody watches a conversation through another node, who then learns of its growing
    /// text by what is kept.
    package var isWatchedElsewhere: (ConversationID) -> Bool = { _ in false }
    /// Has the watchers here told what other nodes have written in a conversation: its answer must not
    /// grow before they know of it.
    package var tellMissed: (ConversationID, _ n: Int64) async -> Void = { _, _ in }
    /// Is told of runs that are another node's by now, while somebody here watches their text.
    var onLost: (ClaimedRun) -> Void = { _ in }
    /// Is told in which conversations text was kept.
    package var onKept: (Set<ConversationID>) -> Void = { _ in }

    // MARK: The queue in memory; RunDispatcher+Claiming.swift

    var mirror: QueueMirror
    /// What was learned of how long answers take.
    var estimate = StartEstimate()
    /// Where each answer that waits stands.
    var places: [MessageID: QueuePlace] = [:]
    /// What was told of each answer's start when it was first told, and when that was.
    var firstPlaces: [MessageID: (place: QueuePlace, at: ContinuousClock.Instant)] = [:]
    /// How far the answers are that engines make here.
    var progress: [MessageID: RunProgress] = [:]
    /// When a claimed answer was chosen, until its engine begins.
    var chosenAt: [MessageID: ContinuousClock.Instant] = [:]
    /// Since when an answer is left to another node that knows its conversation.
    var warmSince: [MessageID: ContinuousClock.Instant] = [:]
    /// When other nodes were last seen at work.
    var nodesSeen: [UUID: ContinuousClock.Instant] = [:]
    var isClaiming = false
    var claimAgain = false
    /// Whether the rows may say something that the mirror does not know.
    var isStale = true
    var nextReading: ContinuousClock.Instant
    var readingSpan = Duration.zero
    var isReadingDue = false
    var isWarmPauseDue = false
    var placesAreDue = false
    var placesHaveChanged = false
    /// When places were told last, and how long that took.
    var placesToldAt: ContinuousClock.Instant
    var tellingSpan = Duration.zero

    // MARK: The end

    /// Set while the node goes down: nothing more is begun.
    var isDraining = false
    /// Set when what still grows goes back to the queue.
    var isReleasing = false

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
        mirror = QueueMirror(limits: configuration.limits)
        nextReading = loop.now
        placesToldAt = loop.now
    }

    /// Begins to work with a pool whose events are given to `receive`.
    package func start(_ pool: EnginePool) {
        self.pool = pool
        keepLeases()
        pollQueue()
        pulse()
        wake()
    }

    /// How many answers are being made here.
    package var activeCount: Int { claims.count }
}
