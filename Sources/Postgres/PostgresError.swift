// What can go wrong with a query. No description holds a value that was sent or stored, so that
// errors may be logged as they are.

/// What PostgreSQL said about a failed statement.
public struct PostgresServerError: Error, Sendable, Hashable {
    /// Which error.
    public var sqlState: SQLState
    /// PostgreSQL's sentence. It may quote values: not for logs, nor for clients.
    public var message: String
    /// The constraint, where one was violated.
    public var constraint: String?
    /// The table, where the error is about one.
    public var table: String?
    /// The column, where the error is about one.
    public var column: String?

    /// Whether the values of the statement are at fault: they fit no column, or break a constraint.
    public var isCausedByValues: Bool {
        sqlState.errorClass == .dataException
            || sqlState.errorClass == .integrityConstraintViolation
    }

    /// Sets all of them.
    public init(
        sqlState: SQLState,
        message: String,
        constraint: String? = nil,
        table: String? = nil,
        column: String? = nil
    ) {
        self.sqlState = sqlState
        self.message = message
        self.constraint = constraint
        self.table = table
        self.column = column
    }
}

/// Why a query gave no rows.
public enum PostgresError: Error, Sendable, Hashable {
    /// PostgreSQL refused the statement.
    case server(PostgresServerError)
    /// The connection broke while the statement was under way: it may have been done or not.
    case connectionLost(String)
    /// PostgreSQL could not be reached within the deadline; nothing was done.
    case unavailable(retryAfter: Duration)
    /// Too many queries wait already, or no connection came free in time; nothing was done.
    case poolFull
    /// The awaiting task was cancelled before the statement was sent; nothing was done.
    case cancelled
    /// The pool or the connection is closed; nothing was done.
    case closed
    /// A value is not what was asked for.
    case decoding(column: String, expected: String, found: String)
    /// A parameter cannot be sent: text with a zero character, which PostgreSQL does not store.
    case unrepresentableParameter(index: Int)
    /// The connection string cannot be used.
    case configuration(String)
    /// libpq said no, or answered out of turn.
    case driver(String)

    /// The code of an error of the server; nil for other errors.
    public var sqlState: SQLState? {
        if case .server(let error) = self { return error.sqlState }
        return nil
    }

    /// Whether the error is the server's `state`, of `constraint` where that is given.
    public func isServer(_ state: SQLState, constraint: String? = nil) -> Bool {
        guard case .server(let error) = self, error.sqlState == state else { return false }
        return constraint == nil || error.constraint == constraint
    }

    /// Whether the same statement may succeed later: PostgreSQL is away, busy or short of something,
    /// or another transaction got in the way.
    public var isTransient: Bool {
        switch self {
        case .connectionLost, .unavailable, .poolFull: true
        case .server(let error): Self.transientClasses.contains(error.sqlState.errorClass)
        case .cancelled, .closed, .decoding, .unrepresentableParameter, .configuration, .driver:
            false
        }
    }

    private static let transientClasses: Set<SQLState.Class> = [
        .operatorIntervention, .insufficientResources, .transactionRollback,
    ]

    /// Whether a parameter holds text that PostgreSQL cannot store, such as U+0000.
    public var isUnrepresentableText: Bool {
        switch self {
        case .unrepresentableParameter: true
        case .server(let error): error.sqlState == .characterNotInRepertoire
        default: false
        }
    }
}

extension PostgresServerError: CustomStringConvertible {
    /// The code, what it is about, and the message where that is known to quote no values.
    public var description: String {
        var parts = ["PostgreSQL error \(sqlState)"]
        if let constraint { parts.append("constraint \(constraint)") }
        if let table { parts.append("table \(table)") }
        if let column { parts.append("column \(column)") }
        let text = parts.joined(separator: ", ")
        return Self.silentClasses.contains(sqlState.errorClass) ? text : "\(text): \(message)"
    }

    /// Classes whose messages quote values.
    private static let silentClasses: Set<SQLState.Class> = [
        .dataException, .plpgsqlError, .internalError,
    ]
}

extension PostgresError: CustomStringConvertible {
    /// One sentence for a log.
    public var description: String {
        switch self {
        case .server(let error): error.description
        case .connectionLost(let reason): "the connection to PostgreSQL was lost: \(reason)"
        case .unavailable(let retryAfter): "cannot connect to PostgreSQL; again in \(retryAfter)"
        case .poolFull: "too many queries are waiting for PostgreSQL"
        case .cancelled: "the query was cancelled before it was sent"
        case .closed: "the connections to PostgreSQL are closed"
        case .decoding(let column, let expected, let found):
            "column \(column) holds \(found), not \(expected)"
        case .unrepresentableParameter(let index):
            "parameter $\(index + 1) holds a zero character"
        case .configuration(let reason): "the database URL cannot be used: \(reason)"
        case .driver(let reason): "libpq: \(reason)"
        }
    }
}
