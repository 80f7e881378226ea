// How far a database has come along the schema's history.

/// How a database's schema stands to the migrations that a program knows.
public struct SchemaStatus: Sendable, Hashable {
    /// How many steps the database has.
    public var appliedCount: Int
    /// How many the program knows.
    public var knownCount: Int
    /// The names of the steps that the database lacks, in order.
    public var pending: [String]
    /// The names of steps that it has from scripts that are not the program's.
    public var edited: [String]

    /// Puts a status together.
    public init(appliedCount: Int, knownCount: Int, pending: [String], edited: [String]) {
        self.appliedCount = appliedCount
        self.knownCount = knownCount
        self.pending = pending
        self.edited = edited
    }

    /// Whether the database is just as the program expects it.
    public var isCurrent: Bool { appliedCount == knownCount && edited.isEmpty }
}
