// Connection settings and limits.

import CPostgres

/// The connection parameters of a database, and the limits of a pool.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection parameters by keyword, including the password.
    package var parameters: [String: String]

    /// Number of connections of a pool. One is always left for single statements.
    public var connectionCount = 8
    /// Maximum pending statements on a connection.
    public var pipelineDepth = 64
    /// Maximum queries and transactions waiting for a connection; further ones get `poolFull`.
    public var waitingCountMax = 2048
    /// Timeout of that wait, also while PostgreSQL is unavailable.
    public var waitDeadline: Duration = .seconds(5)
    /// Time after which the server cancels a statement.
    public var statementTimeout: Duration = .seconds(30)
    /// Time without a statement after which the server ends an open transaction.
    public var idleTransactionTimeout: Duration = .seconds(60)
    /// Timeout of an attempt to connect.
    public var connectDeadline: Duration = .seconds(10)
    /// Minimum and maximum pause between attempts to connect; it doubles, with jitter.
    public var reconnectPause: ClosedRange<Duration> = .milliseconds(50)...(.seconds(5))
    /// Maximum prepared statements of a connection; 0 for none.
    public var preparedStatementCountMax = 256
    /// Whether a pooler gives each transaction another connection (PgBouncer's `pool_mode =
    /// transaction`): prepared statements and settings are then not kept across transactions, and
    /// the role's timeouts apply.
    public var poolsTransactions = false {
        didSet { if poolsTransactions { preparedStatementCountMax = 0 } }
    }
    /// Maximum attempts of a transaction.
    public var transactionAttemptCount = 8

    /// Parses `postgresql://user@host/database` or `host=… dbname=…`.
    /// - Throws: `PostgresError.configuration` with libpq's reason, which does not quote passwords.
    public init(connectionString: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &message) else {
            PQfreemem(message)
            // libpq's message may contain the string, and with it a password.
            throw .configuration("it is neither a postgresql:// URL nor a list of key=value")
        }
        defer { PQconninfoFree(options) }
        parameters = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parameters[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
    }

    /// Connects to a server on this machine through the folder of its Unix socket.
    public init(socketFolder: String, user: String, database: String) {
        parameters = ["host": socketFolder, "port": "5432", "user": user, "dbname": database]
    }

    /// The name of the database, if given.
    public var database: String? { parameters["dbname"] }

    /// The parameters for libpq: the caller's and our settings.
    var connectionParameters: [String: String] {
        var result = parameters
        result["client_encoding"] = "UTF8"
        result["fallback_application_name"] = "stoa"
        guard !poolsTransactions else {
            return result.merging(Self.keepalives) { given, _ in given }
        }
        let timeout =
            "-c statement_timeout=\(Int(statementTimeout / .milliseconds(1))) "
            + "-c idle_in_transaction_session_timeout="
            + "\(Int(idleTransactionTimeout / .milliseconds(1)))"
        result["options"] = result["options"].map { "\(timeout) \($0)" } ?? timeout
        return result.merging(Self.keepalives) { given, _ in given }
    }

    /// Detects an unresponsive peer within a minute.
    private static let keepalives = [
        "keepalives_idle": "20", "keepalives_interval": "10", "keepalives_count": "3",
        "tcp_user_timeout": "30000",
    ]
}

extension PostgresConfiguration: CustomStringConvertible, CustomReflectable {
    /// The address of the database, without the password.
    public var description: String {
        let shown = ["host", "hostaddr", "port", "user", "dbname"]
        return shown.compactMap { key in parameters[key].map { "\(key)=\($0)" } }
            .joined(separator: " ")
    }

    /// `dump` does not show the password either.
    public var customMirror: Mirror { Mirror(self, children: ["database": description]) }
}

/// Calls `body` with `parameters` as the two arrays of libpq's `…Params` functions.
func withConnectionParameters<Result>(
    _ parameters: [String: String],
    _ body: (
        UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
    ) -> Result
) -> Result {
    let pairs = parameters.sorted { $0.key < $1.key }
    return withCStrings(pairs.map(\.key)) { keywords in
        withCStrings(pairs.map(\.value)) { values in
            keywords.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: pairs.count + 1) {
                keywords in
                values.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: pairs.count + 1)
                { values in body(keywords, values) }
            }
        }
    }
}
