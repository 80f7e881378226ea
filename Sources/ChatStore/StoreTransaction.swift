// A transaction of the store: its statements, and the changes to notify other nodes of.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// Changes of a commit that concern other nodes.
public struct CommittedChanges: Sendable, Equatable {
    /// Conversations with new durable events and with subscribers on other nodes.
    public var eventsWatchedElsewhere: Set<ConversationID>

    /// Creates the changes.
    public init(eventsWatchedElsewhere: Set<ConversationID> = []) {
        self.eventsWatchedElsewhere = eventsWatchedElsewhere
    }

    /// Whether no other node must be notified.
    public var isEmpty: Bool { eventsWatchedElsewhere.isEmpty }
}

/// Is notified of commits' changes, to notify other nodes.
public protocol CommitObserver: AnyObject {
    /// Called on the event loop right after a commit with changes for other nodes. Not called if
    /// the connection is lost during the commit, even if it was committed.
    func committed(_ changes: CommittedChanges)
}

/// The node that commits.
struct CommittingNode {
    let id: UUID
    let observer: any CommitObserver
}

/// One attempt of a transaction. Invalid after the transaction's body has returned.
final class StoreTransaction {
    typealias Sent = PostgresTransaction.Sent

    /// The committing node; nil for a command.
    let node: UUID?
    private let postgres: PostgresTransaction
    /// The inserted events, each with a statement that returns a row if the conversation has a
    /// subscriber on another node.
    private var events: [(conversation: ConversationID, isWatchedElsewhere: Sent)] = []

    init(_ postgres: PostgresTransaction, node: UUID?) {
        self.postgres = postgres
        self.node = node
    }

    /// Executes one statement, which is named after its caller; see `PostgresTransaction.query`.
    func query(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        file: StaticString = #fileID,
        function: StaticString = #function
    ) async throws(PostgresError) -> PostgresRows {
        let name = StatementName(file: file, function: function)
        return try await postgres.query(sql, parameters, as: name)
    }

    /// Sends one statement without waiting for its result; see `PostgresTransaction.send`.
    @discardableResult
    func send(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        file: StaticString = #fileID,
        function: StaticString = #function
    ) throws(PostgresError) -> Sent {
        try postgres.send(sql, parameters, as: StatementName(file: file, function: function))
    }

    /// Records an event; other nodes are notified if `isWatchedElsewhere` returns a row.
    func noteEvent(in conversation: ConversationID, isWatchedElsewhere: Sent) {
        events.append((conversation, isWatchedElsewhere))
    }

    /// The transaction's changes, after the commit.
    func changes() async throws(PostgresError) -> CommittedChanges {
        var changes = CommittedChanges()
        for (conversation, isWatchedElsewhere) in events {
            // Its result arrived before the commit's.
            if try await !isWatchedElsewhere.rows().isEmpty {
                changes.eventsWatchedElsewhere.insert(conversation)
            }
        }
        return changes
    }
}
