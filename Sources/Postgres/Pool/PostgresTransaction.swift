// A transaction as its body sees it.

import EventLoop

/// Executes statements within one transaction. Of no use after the transaction's body has returned.
public final class PostgresTransaction {
    private let connection: PostgresConnection
    private var isActive = true
    /// The first error of a statement; it decides whether the transaction may be run again.
    private(set) var failure: PostgresError?

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Executes one statement in the transaction.
    /// - Throws: `closed` after the transaction's end, else as the pool's `query` does.
    public func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        guard isActive else { throw .closed }
        do throws(PostgresError) {
            return try await connection.query(sql, parameters)
        } catch {
            if failure == nil { failure = error }
            throw error
        }
    }

    func begin(_ isolation: PostgresIsolation) async throws(PostgresError) {
        _ = try await query("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
    }

    /// Commits.
    /// - Throws: the first error where the server rolled back since a statement had failed and the
    ///   body passed over that.
    func commit() async throws(PostgresError) {
        isActive = false
        let rows = try await connection.queryUncancelled("COMMIT")
        if rows.commandTag == "ROLLBACK" {
            throw failure ?? .driver("the transaction was rolled back")
        }
    }

    /// Rolls back, also for a task that was cancelled. A connection that cannot do that is closed:
    /// nobody else may get it with a transaction open.
    func rollBack() async {
        isActive = false
        guard connection.isOpen else { return }
        do { _ = try await connection.queryUncancelled("ROLLBACK") } catch { connection.close() }
    }
}

/// How much of other transactions a transaction sees.
public enum PostgresIsolation: String, Sendable {
    /// Each statement sees what was committed before it; PostgreSQL's usual level.
    case readCommitted = "READ COMMITTED"
    /// All statements see the same snapshot.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after the other.
    case serializable = "SERIALIZABLE"
}
