// What sessions and their handlers use of the server, and nothing else of it: neither other connections,
// nor the page's files, nor startup and shutdown.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging

/// The services by which a session answers its requests.
protocol SessionServices: AnyObject {
    var loop: EventLoop { get }
    var logger: Logger { get }
    var settings: ServerSettings { get }
    var limits: ProtocolLimits { get }
    var metrics: ServerMetrics { get }
    /// Tells this database from one restored from a backup.
    var epoch: String { get }
    /// When the server started.
    var startedAt: Timestamp { get }
    /// How many clients are connected.
    var connectionCount: Int { get }

    // MARK: Data

    var store: Store { get }
    var hub: ConversationHub { get }
    var nodes: NodeLink { get }
    /// Readers by links.
    var readers: SharedReaders { get }

    // MARK: Accounts

    var accounts: Accounts { get }
    var authenticator: Authenticator { get }
    var signIns: SignInWatch { get }
    /// Requests per minute and user.
    var rates: UserRates { get }

    // MARK: Runs and models

    var dispatcher: RunDispatcher { get }
    var board: ModelBoard { get }
    /// Fetches models; nil before the server has its engines.
    var pulls: ModelPulls? { get }
    /// How many answers may be queued.
    var queueLimits: QueueLimits { get }
    /// Runs `body`; if it refuses because the queue is full, the refusal estimates when there is room
    /// again.
    func withHonestRetry<Value>(
        of user: UserID,
        _ body: () async throws -> Value
    ) async throws -> Value

    // MARK: Life cycle

    /// When conversations expire and are purged.
    var lifeCycle: LifeCycleRules { get }
    /// Publishes a conversation's deletion, and ends what is done for it.
    func tellDeletion(_ committed: Committed<[UserID]>, of conversation: ConversationID)
    /// Removes KV cache pages of conversations that are gone, or have lost messages.
    func forgetPages(of conversations: [ConversationID])

    /// What a client is sent for any error.
    func wireError(_ error: any Error, in request: RequestID) -> WireError
}

extension Server: SessionServices {}
