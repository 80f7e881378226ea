// Where the database is, and the bounds within which we use it.

import CPostgres

/// How to reach a database, and the limits of a pool of connections to it.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection parameters by keyword; the password is among them.
    package var parameters: [String: String]

    /// How many connections a pool keeps. One is always left to single statements.
    public var connectionCount = 8
    /// How many statements may be under way on one connection.
    public var pipelineDepth = 64
    /// How many queries and transactions may wait for their turn; further ones get `poolFull`.
    public var waitingCountMax = 2048
    /// How long they may wait, be it for a connection or for PostgreSQL to come back.
    public var waitDeadline: Duration = .seconds(5)
    /// After this long the server cancels a statement.
    public var statementTimeout: Duration = .seconds(30)
    /// After this long without a statement the server ends an open transaction.
    public var idleTransactionTimeout: Duration = .seconds(60)
    /// How long one attempt to connect may take.
    public var connectDeadline: Duration = .seconds(10)
    /// The bounds of the pause between attempts to connect; it doubles and is jittered.
    public var reconnectPause: ClosedRange<Duration> = .milliseconds(50)...(.seconds(5))
    /// How many prepared statements a connection keeps; none with 0.
    public var preparedStatementCountMax = 256
    /// Whether something between us and PostgreSQL gives each transaction another connection
    /// (PgBouncer's `pool_mode = transaction`): nothing is then kept from one transaction to the
    /// next, be it a prepared statement or a setting. The timeouts are the role's own then.
    public var poolsTransactions = false {
        didSet { if poolsTransactions { preparedStatementCountMax = 0 } }
    }
    /// How often a transaction is tried in all.
    public var transactionAttemptCount = 8

    /// Parses `postgresql://user@host/database` or `host=… dbname=…`.
    /// - Throws: `PostgresError.configuration` with libpq's reason, which does not quote passwords.
    public init(connectionString: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &message) else {
            PQfreemem(message)
            // libpq's own words may quote the string, and with it a password.
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

    /// A server of this machine, by the folder of its Unix socket.
    public init(socketFolder: String, user: String, database: String) {
        parameters = ["host": socketFolder, "port": "5432", "user": user, "dbname": database]
    }

    /// The database's name, where one is given.
    public var database: String? { parameters["dbname"] }

    /// The parameters as a connection gets them: with our settings beside the caller's.
    var connectionParameters: [String: String] {
        var result = parameters
        result["client_encoding"] = "UTF8"
        result["fallback_application_name"] = "stoa"
        guard !poolsTransactions else { return result.merging(Self.patience) { given, _ in given } }
        let timeout =
            "-c statement_timeout=\(Int(statementTimeout / .milliseconds(1))) "
            + "-c idle_in_transaction_session_timeout="
            + "\(Int(idleTransactionTimeout / .milliseconds(1)))"
        result["options"] = result["options"].map { "\(timeout) \($0)" } ?? timeout
        return result.merging(Self.patience) { given, _ in given }
    }

    /// A peer that went away without a word is noticed within a minute.
    private static let patience = [
        "keepalives_idle": "20", "keepalives_interval": "10", "keepalives_count": "3",
        "tcp_user_timeout": "30000",
    ]
}

extension PostgresConfiguration: CustomStringConvertible, CustomReflectable {
    /// Where the database is, without the password.
    public var description: String {
        let shown = ["host", "hostaddr", "port", "user", "dbname"]
        return shown.compactMap { key in parameters[key].map { "\(key)=\($0)" } }
            .joined(separator: " ")
    }

    /// What `dump` and the like see: no password either.
    public var customMirror: Mirror { Mirror(self, children: ["database": description]) }
}

/// Calls `body` with `parameters` as the two arrays that libpq's `…Params` functions want.
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
