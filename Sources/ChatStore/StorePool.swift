// The connections that all stores share.

import FoundationEssentials
import Postgres

/// The connections that all stores use, for single statements and for transactions.
final class StorePool {
    private let postgres: PostgresPool
    /// The committing node; nil for a command.
    private let node: CommittingNode?

    init(_ postgres: PostgresPool, node: CommittingNode?) {
        self.postgres = postgres
        self.node = node
    }

    /// Whether the database is available.
    var isReady: Bool { postgres.isReady }

    /// Whether the database's disk is full, so that nothing can be stored.
    var isDiskFull: Bool { postgres.isDiskFull }

    /// The number of open connections, of those in use, and of callers that wait for one.
    var connections: (open: Int, used: Int, waiting: Int) {
        (postgres.openCount, postgres.usedCount, postgres.waitingCount)
    }

    /// Executes one statement, which is named after its caller; see `PostgresPool.query`.
    func query(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        file: StaticString = #fileID,
        function: StaticString = #function
    ) async throws(PostgresError) -> PostgresRows {
        let name = StatementName(file: file, function: function)
        return try await postgres.query(sql, parameters, as: name)
    }

    /// Runs `body` in a transaction, with retries (see `PostgresPool.transaction`), and notifies
    /// the node's observer of the changes.
    func transaction<Value>(
        isolation: PostgresIsolation = .readCommitted,
        _ body: (StoreTransaction) async throws -> Value
    ) async throws -> Value {
        let (value, committed) = try await postgres.transaction(isolation: isolation) { postgres in
            let transaction = StoreTransaction(postgres, node: node?.id)
            return (try await body(transaction), transaction)
        }
        if let node {
            let changes = try await committed.changes()
            if !changes.isEmpty { node.observer.committed(changes) }
        }
        return value
    }

    /// Distinguishes this database from one restored from a backup.
    func epoch() async throws -> String {
        let rows = try await query("SELECT epoch FROM installation")
        return try rows.first?.decode("epoch", as: UUID.self).uuidString.lowercased() ?? ""
    }
}
