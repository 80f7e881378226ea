// Connection settings and limits.

import CPostgres

/// The connection parameters of a database, and the limits of a pool.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection parameters by keyword, including the password.
    package let parameters: [String: String]
    /// The servers that the parameters name, in their order.
    package let hosts: [DatabaseHost]

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
    /// Timeout of an attempt to connect, unless the string has a `connect_timeout`.
    public var connectDeadline: Duration = .seconds(10)
    /// The same for each of several hosts: a silent one must not delay the next for long.
    public var hostDeadline: Duration = .seconds(2)
    /// Of several hosts: time without an answer after which another primary is looked for.
    public var silenceLimit: Duration = .seconds(2)
    /// Of several hosts: interval of statements by which a listener notices that it is cut off.
    public var heartbeat: Duration = .seconds(5)
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

    /// Parses `postgresql://user@host/database` or `host=… dbname=…`, with one host or several.
    /// - Throws: `PostgresError.configuration` with the reason, which does not quote passwords.
    public init(connectionString: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(connectionString, &message) else {
            PQfreemem(message)
            // libpq's message may contain the string, and with it a password.
            throw .configuration("it is neither a postgresql:// URL nor a list of key=value")
        }
        defer { PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parameters[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        hosts = try DatabaseHost.hosts(in: parameters)
        switch parameters["target_session_attrs"] {
        case nil: if hosts.count > 1 { parameters["target_session_attrs"] = "read-write" }
        case "any", "read-write", "primary": break
        case let other?:
            throw .configuration(
                "Stoa writes: target_session_attrs must be read-write, primary or any, not \(other)"
            )
        }
        self.parameters = parameters
        if hosts.count > 1 { reconnectPause = .milliseconds(50)...(.seconds(1)) }
    }

    /// Connects to a server on this machine through the folder of its Unix socket.
    public init(socketFolder: String, user: String, database: String) {
        parameters = ["host": socketFolder, "port": "5432", "user": user, "dbname": database]
        hosts = [DatabaseHost(host: socketFolder, port: "5432")]
    }

    /// The name of the database, if given.
    public var database: String? { parameters["dbname"] }

    /// Whether there are several servers, of which one is the primary.
    var hasSeveralHosts: Bool { hosts.count > 1 && seeksPrimary }

    /// Whether only a server that accepts writes will do.
    var seeksPrimary: Bool {
        ["read-write", "primary"].contains(parameters["target_session_attrs"])
    }

    /// Timeout of an attempt to connect to one host.
    var attemptDeadline: Duration {
        if let text = parameters["connect_timeout"], let seconds = Int(text), seconds > 0 {
            return .seconds(seconds)
        }
        return hosts.count > 1 ? hostDeadline : connectDeadline
    }

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
