// What all stores share: connections to one database.

import Postgres

/// The connections that all stores use, for single statements and for transactions.
final class StorePool {
    private let postgres: PostgresPool

    init(_ postgres: PostgresPool) {
        self.postgres = postgres
    }

    /// Whether the database answers at present.
    var isReady: Bool { postgres.isReady }

    /// Executes one statement; see `PostgresPool.query`.
    func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        try await postgres.query(sql, parameters)
    }

    /// Runs `body` in a transaction, several times where it has to; see `PostgresPool.transaction`.
    func transaction<Value>(
        isolation: PostgresIsolation = .readCommitted,
        _ body: (PostgresTransaction) async throws -> Value
    ) async throws -> Value {
        try await postgres.transaction(isolation: isolation, body)
    }
}
