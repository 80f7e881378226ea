// What sessions use of the server. A session reaches nothing else of it: not other connections, not the
// page's files, not what happens when the server starts and ends.

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
    /// When this life of the server began.
    var startedAt: Timestamp { get }
    /// How many clients are connected.
    var connectionCount: Int { get }

    // MARK: Data

    var store: Store { get }
    var hub: ConversationHub { get }
    var nodes: NodeLink { get }
    /// Those who read by links.
    var readers: SharedReaders { get }

    // MARK: Accounts

    var accounts: Accounts { get }
    var authenticator: Authenticator { get }
    var signIns: SignInWatch { get }
    /// How often users may ask for what costs.
    var rates: UserRates { get }

    // MARK: Runs and models

    var dispatcher: RunDispatcher { get }
    var board: ModelBoard { get }
    /// Fetches models; nil before the server has its engines.
    var pulls: ModelPulls? { get }
    /// How much may wait in the queue.
    var queueLimits: QueueLimits { get }
    /// Runs `body`; where it refuses because the queue is full, the refusal says when it is worth
    /// trying again.
    func withHonestRetry<Value>(
        of user: UserID,
        _ body: () async throws -> Value
    ) async throws -> Value

    // MARK: The life of conversations

    /// What is due when.
    var lifeCycle: LifeCycleRules { get }
    /// Publishes a conversation's deletion, and ends what is done for it.
    func tellDeletion(_ committed: Committed<[UserID]>, of conversation: ConversationID)
    /// Removes KV cache pages of conversations that are gone, or have lost messages.
    func forgetPages(of conversations: [ConversationID])

    /// What a client is told of an error, whatever it was.
    func wireError(_ error: any Error, in request: RequestID) -> WireError
}

extension Server: SessionServices {}
