// Errors of queries. No description contains a value that was sent or stored, so errors may be
// logged as they are.

/// PostgreSQL's error for a failed statement.
public struct PostgresServerError: Error, Sendable, Hashable {
    /// The error code.
    public var sqlState: SQLState
    /// PostgreSQL's message. It may contain values: do not log it or send it to clients.
    public var message: String
    /// The violated constraint, if any.
    public var constraint: String?
    /// The table, if the error is about one.
    public var table: String?
    /// The column, if the error is about one.
    public var column: String?

    /// Whether the statement's values caused the error: they do not fit a column or violate a
    /// constraint.
    public var isCausedByValues: Bool {
        sqlState.errorClass == .dataException
            || sqlState.errorClass == .integrityConstraintViolation
    }

    /// Creates an error.
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

/// Why a query failed.
public enum PostgresError: Error, Sendable, Hashable {
    /// The server reported an error.
    case server(PostgresServerError)
    /// The connection was lost while the statement was pending: it may or may not have been
    /// executed.
    case connectionLost(String)
    /// PostgreSQL could not be reached within the timeout; nothing was executed.
    case unavailable(retryAfter: Duration)
    /// Too many queries are waiting, or no connection became free in time; nothing was executed.
    case poolFull
    /// The waiting task was cancelled before the statement was sent; nothing was executed.
    case cancelled
    /// The pool or the connection is closed; nothing was executed.
    case closed
    /// A value does not have the requested type.
    case decoding(column: String, expected: String, found: String)
    /// A parameter cannot be sent: a text with a zero character, which PostgreSQL does not store.
    case unrepresentableParameter(index: Int)
    /// The connection string is invalid.
    case configuration(String)
    /// An error of libpq, or an unexpected result.
    case driver(String)

    /// The code of a server error; nil for other errors.
    public var sqlState: SQLState? {
        if case .server(let error) = self { return error.sqlState }
        return nil
    }

    /// Whether it is the server error `state`, and of `constraint` if given.
    public func isServer(_ state: SQLState, constraint: String? = nil) -> Bool {
        guard case .server(let error) = self, error.sqlState == state else { return false }
        return constraint == nil || error.constraint == constraint
    }

    /// Whether the same statement may succeed later: PostgreSQL is unavailable, busy or short of a
    /// resource, or there was a conflict with another transaction.
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

    /// Whether a parameter has text that PostgreSQL cannot store, such as U+0000.
    public var isUnrepresentableText: Bool {
        switch self {
        case .unrepresentableParameter: true
        case .server(let error): error.sqlState == .characterNotInRepertoire
        default: false
        }
    }
}

extension PostgresServerError: CustomStringConvertible {
    /// The code, the object, and the message if its class never contains values.
    public var description: String {
        var parts = ["PostgreSQL error \(sqlState)"]
        if let constraint { parts.append("constraint \(constraint)") }
        if let table { parts.append("table \(table)") }
        if let column { parts.append("column \(column)") }
        let text = parts.joined(separator: ", ")
        return Self.silentClasses.contains(sqlState.errorClass) ? text : "\(text): \(message)"
    }

    /// Classes whose messages contain values.
    private static let silentClasses: Set<SQLState.Class> = [
        .dataException, .plpgsqlError, .internalError,
    ]
}

extension PostgresError: CustomStringConvertible {
    /// One sentence for the log.
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
