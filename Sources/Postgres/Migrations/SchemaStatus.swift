// The state of a database's schema.

/// The difference between a database's schema and the program's migrations.
public struct SchemaStatus: Sendable, Hashable {
    /// The number of applied migrations.
    public var appliedCount: Int
    /// The number of migrations that the program knows.
    public var knownCount: Int
    /// The names of the missing migrations, in order.
    public var pending: [String]
    /// The names of applied migrations whose scripts differ from the program's.
    public var edited: [String]

    /// Whether the program works with applied migrations that it does not know.
    public var isNewerUsable: Bool

    /// Creates a status.
    public init(
        appliedCount: Int,
        knownCount: Int,
        pending: [String],
        edited: [String],
        isNewerUsable: Bool = false
    ) {
        self.appliedCount = appliedCount
        self.knownCount = knownCount
        self.pending = pending
        self.edited = edited
        self.isNewerUsable = isNewerUsable
    }

    /// Whether the schema is the one that the program expects.
    public var isCurrent: Bool { appliedCount == knownCount && edited.isEmpty }
}
