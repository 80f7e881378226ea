// How long a statement took, for those who want to know which are slow.

/// The name of a statement: the function that executes it, such as `QueueStore.claim`.
public struct StatementName: Sendable, CustomStringConvertible {
    private let file: StaticString
    private let function: StaticString

    /// Creates a name.
    /// - Parameters:
    ///   - file: `#fileID` of the caller.
    ///   - function: `#function` of the caller.
    public init(file: StaticString, function: StaticString) {
        self.file = file
        self.function = function
    }

    /// The name of a transaction's commit.
    static let commit = StatementName(file: "PostgreSQL/Transaction", function: "commit")

    /// The file's name and the function's, without arguments.
    public var description: String {
        let name = file.description.split(separator: "/").last ?? ""
        return
            "\(name.split(separator: ".").first ?? "").\(function.description.prefix { $0 != "(" })"
    }
}

/// A statement that has ended, successfully or not.
public struct TimedStatement: Sendable {
    /// Its name; nil if its caller gave none.
    public let name: StatementName?
    /// Its text.
    public let sql: String
    /// Its parameters. They may be what people wrote: never log them.
    public let parameters: [PostgresValue]
    /// The wait for a connection; in a transaction the first statement has it.
    public let wait: Duration
    /// From sending it to its result. A single statement's includes that of earlier ones on its
    /// connection; a transaction's does not include that of the transaction's earlier ones.
    public let execution: Duration

    /// Creates a statement.
    package init(
        name: StatementName?,
        sql: String,
        parameters: [PostgresValue],
        wait: Duration,
        execution: Duration
    ) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
        self.wait = wait
        self.execution = execution
    }
}
