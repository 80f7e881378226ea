// A blocking connection for work off the loop: migrations and the setup of the private cluster.

import CPostgres

/// A connection whose calls block the calling thread. Do not use it on a loop.
package final class BlockingConnection {
    private let connection: OpaquePointer

    /// Connects.
    /// - Throws: `unavailable` or `configuration` where that fails.
    package init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        var parameters = configuration.connectionParameters
        // For each host, and for each of its addresses.
        let seconds = Int(configuration.attemptDeadline / .seconds(1))
        parameters["connect_timeout"] = "\(max(2, seconds))"
        // No timeout for migrations.
        if !configuration.poolsTransactions {
            parameters["options"] = "\(parameters["options"] ?? "") -c statement_timeout=0"
        }
        let opened = withConnectionParameters(parameters) { PQconnectdbParams($0, $1, 0) }
        guard let opened else { throw .driver("out of memory") }
        connection = opened
        guard PQstatus(opened) == CONNECTION_OK else {
            throw .connectionLost(connectionMessage(opened))
        }
        silenceNotices(opened)
    }

    deinit { PQfinish(connection) }

    /// Executes one statement.
    package func query(
        _ sql: String,
        _ values: [PostgresValue] = []
    ) throws(PostgresError) -> PostgresRows {
        try checkParameters(values)
        let parameters = StatementParameters(values)
        let result = parameters.withPointers { count, values, lengths, formats in
            PQexecParams(
                connection,
                sql,
                count,
                parameters.types,
                values,
                lengths,
                formats,
                1
            )
        }
        return try rows(of: result)
    }

    /// Executes a script of several statements without parameters. Outside of a transaction it runs
    /// as one transaction.
    package func run(_ script: String) throws(PostgresError) {
        _ = try rows(of: PQexec(connection, script))
    }

    private func rows(of result: OpaquePointer?) throws(PostgresError) -> PostgresRows {
        guard let result else { throw .connectionLost(connectionMessage(connection)) }
        switch ServerResult(owning: result) {
        case .rows(let rows): return rows
        case .failed(let error): throw error
        case .skipped, .synchronized: throw .driver("an answer out of turn")
        }
    }
}

/// Drops NOTICE and WARNING messages, which libpq would print on standard error.
func silenceNotices(_ connection: OpaquePointer) {
    _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
}
