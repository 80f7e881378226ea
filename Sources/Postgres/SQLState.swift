// PostgreSQL's error codes (Appendix A of its manual).

/// An error code of PostgreSQL, such as `23505`.
public struct SQLState: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The five characters.
    public let rawValue: String

    /// Creates a code from five characters.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The class of the error: the first two characters.
    public var errorClass: Class { Class(rawValue: String(rawValue.prefix(2))) }

    /// The five characters.
    public var description: String { rawValue }

    /// A row with this key already exists.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// A referenced row does not exist, or a row is still referenced.
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// A check constraint is violated.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// NULL in a NOT NULL column.
    public static let notNullViolation = SQLState(rawValue: "23502")
    /// A conflict with another transaction; the transaction may be retried.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// Two transactions waited for each other; the transaction may be retried.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// A lock was not available at once (`NOWAIT`) or in time.
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// Cancelled by the statement timeout or by request.
    public static let queryCanceled = SQLState(rawValue: "57014")
    /// The server's disk is full: tables cannot grow.
    public static let diskFull = SQLState(rawValue: "53100")
    /// The server is shutting down, or an administrator terminated this connection.
    public static let adminShutdown = SQLState(rawValue: "57P01")
    /// The server terminates this connection because another one crashed.
    public static let crashShutdown = SQLState(rawValue: "57P02")
    /// The server is starting up or shutting down.
    public static let cannotConnectNow = SQLState(rawValue: "57P03")
    /// A write on a standby, or on a server that was made read-only.
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    /// A statement in a failed transaction.
    public static let inFailedTransaction = SQLState(rawValue: "25P02")
    /// The text of a value is not valid for its type.
    public static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    /// Bytes that are not text in the server's encoding.
    public static let characterNotInRepertoire = SQLState(rawValue: "22021")
    /// The table does not exist.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// The prepared statement does not exist.
    public static let invalidStatementName = SQLState(rawValue: "26000")
    /// Among others: a prepared statement whose result type has changed.
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    /// The database does not exist.
    public static let invalidCatalogName = SQLState(rawValue: "3D000")
    /// The password was wrong.
    public static let invalidPassword = SQLState(rawValue: "28P01")
}

extension SQLState {
    /// A class of error codes, named as in PostgreSQL's manual.
    public struct Class: Sendable, Hashable, RawRepresentable {
        /// The two characters.
        public let rawValue: String

        /// Creates a class from two characters.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value is out of range, malformed, or not allowed.
        public static let dataException = Class(rawValue: "22")
        /// A constraint is violated.
        public static let integrityConstraintViolation = Class(rawValue: "23")
        /// The server rolled back because of a conflict with another transaction.
        public static let transactionRollback = Class(rawValue: "40")
        /// Disk space, memory or connections are exhausted.
        public static let insufficientResources = Class(rawValue: "53")
        /// The server is shutting down, or the statement was cancelled.
        public static let operatorIntervention = Class(rawValue: "57")
        /// RAISE in a function.
        public static let plpgsqlError = Class(rawValue: "P0")
        /// A defect of the server, or damaged data.
        public static let internalError = Class(rawValue: "XX")
    }
}
