// The parts of the server that sessions and their handlers use: no other connections, no files of
// the page, no startup or shutdown.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging

/// The services that sessions use to answer requests.
protocol SessionServices: AnyObject {
    var loop: EventLoop { get }
    var logger: Logger { get }
    var settings: ServerSettings { get }
    var limits: ProtocolLimits { get }
    var metrics: ServerMetrics { get }
    /// The traces; nil if the settings want none.
    var traces: ServerTraces? { get }
    /// The log of slow operations; nil if the settings want none.
    var slowLog: SlowLog? { get }
    /// Distinguishes this database from one restored from a backup.
    var epoch: String { get }
    /// When the server started.
    var startedAt: Timestamp { get }
    /// How many clients are connected.
    var connectionCount: Int { get }
    /// What happened in the last seconds; nil just after the start.
    var load: ServerLoad? { get }

    // MARK: Data

    var store: Store { get }
    var hub: ConversationHub { get }
    var nodes: NodeLink { get }
    /// Readers with share links.
    var readers: SharedReaders { get }
    /// Clients of OpenAI's API that wait for answers.
    var answerReaders: AnswerReaders { get }

    // MARK: Accounts

    var accounts: Accounts { get }
    var authenticator: Authenticator { get }
    /// Devices that wait to be signed in by a code.
    var deviceSignIns: DeviceSignIns { get }
    var signIns: SignInWatch { get }
    /// Requests per minute and user.
    var rates: UserRates { get }

    // MARK: Runs and models

    var dispatcher: RunDispatcher { get }
    var board: ModelBoard { get }
    /// Downloads models; nil before the server has its engines.
    var pulls: ModelPulls? { get }
    /// Loads and unloads models; nil before the server has its engines.
    var modelAdministration: ModelAdministration? { get }
    /// Examines the server; nil before it has started.
    var doctor: ServerDoctor? { get }
    /// Limits on the number of queued answers.
    var queueLimits: QueueLimits { get }
    /// Runs `body`; if it throws because the queue is full, adds an estimate of when to retry.
    func withHonestRetry<Value>(
        of user: UserID,
        _ body: () async throws -> Value
    ) async throws -> Value

    // MARK: Life cycle

    /// When conversations expire and are purged.
    var lifeCycle: LifeCycleRules { get }
    /// Publishes a conversation's deletion, and stops its runs and subscriptions.
    func tellDeletion(_ committed: Committed<[UserID]>, of conversation: ConversationID)
    /// Removes KV cache pages of conversations that were deleted, or whose messages were.
    func forgetPages(of conversations: [ConversationID])

    /// The error that a client is sent for any error.
    func wireError(_ error: any Error, in request: RequestID) -> WireError
}

extension Server: SessionServices {}
