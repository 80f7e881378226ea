// A transaction of the store: the statements of its body, and what its commit means for other nodes.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// What a commit changed that other nodes have to hear of.
public struct CommittedChanges: Sendable, Equatable {
    /// The conversations with new durable events that somebody watches on another node.
    public var eventsWatchedElsewhere: Set<ConversationID>

    /// Sets what changed.
    public init(eventsWatchedElsewhere: Set<ConversationID> = []) {
        self.eventsWatchedElsewhere = eventsWatchedElsewhere
    }

    /// Whether no other node has to hear of it.
    public var isEmpty: Bool { eventsWatchedElsewhere.isEmpty }
}

/// Receives what commits change, to notify other nodes.
public protocol CommitObserver: AnyObject {
    /// Called on the event loop right after a commit whose changes aren't empty. Not called where
    /// the connection is lost during the commit, though the commit may have been done.
    func committed(_ changes: CommittedChanges)
}

/// The node that a store commits for.
struct CommittingNode {
    let id: UUID
    let observer: any CommitObserver
}

/// One attempt of a transaction. Of no use after the transaction's body has returned.
final class StoreTransaction {
    typealias Sent = PostgresTransaction.Sent

    /// The node that commits; nil for a command.
    let node: UUID?
    private let postgres: PostgresTransaction
    /// The events that were written, each with the statement that has a row where another node
    /// watches the conversation.
    private var events: [(conversation: ConversationID, isWatchedElsewhere: Sent)] = []

    init(_ postgres: PostgresTransaction, node: UUID?) {
        self.postgres = postgres
        self.node = node
    }

    /// Executes one statement; see `PostgresTransaction.query`.
    func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        try await postgres.query(sql, parameters)
    }

    /// Sends one statement and does not wait for its answer; see `PostgresTransaction.send`.
    @discardableResult
    func send(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) throws(PostgresError) -> Sent {
        try postgres.send(sql, parameters)
    }

    /// Notes an event, which other nodes hear of where `isWatchedElsewhere` has a row.
    func noteEvent(in conversation: ConversationID, isWatchedElsewhere: Sent) {
        events.append((conversation, isWatchedElsewhere))
    }

    /// What the transaction changed, once it is committed.
    func changes() async throws(PostgresError) -> CommittedChanges {
        var changes = CommittedChanges()
        for (conversation, isWatchedElsewhere) in events {
            // Its answer came before the commit's.
            if try await !isWatchedElsewhere.rows().isEmpty {
                changes.eventsWatchedElsewhere.insert(conversation)
            }
        }
        return changes
    }
}
