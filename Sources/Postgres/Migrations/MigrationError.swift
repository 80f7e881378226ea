// Errors of migrations. Each description says what to do next.

/// Why migrations were refused or failed.
public enum MigrationError: Error, Sendable, Hashable {
    /// The list is empty, repeats a version or omits one.
    case badList(expected: Int, found: Int)
    /// The script of an applied migration was edited.
    case edited(version: Int, name: String)
    /// The database has migrations that this program does not know, and that it does not work with.
    case databaseNewer(databaseVersion: Int, programVersion: Int)
    /// A migration failed and was rolled back; earlier ones stay.
    case failed(version: Int, name: String, PostgresError)
    /// The database cannot be reached or read.
    case database(PostgresError)
}

extension MigrationError: CustomStringConvertible {
    /// A sentence for the operator.
    public var description: String {
        switch self {
        case .badList(let expected, let found):
            "the migrations are not numbered in one row: expected \(expected), found \(found)"
        case .edited(let version, let name):
            """
            migration \(version) (\(name)) was edited after this database had applied it: \
            restore the file and put the change into a new one
            """
        case .databaseNewer(let database, let program):
            """
            the database is at version \(database), this program knows up to \(program) and does \
            not work with it: install the newer program, or restore a backup from before the update
            """
        case .failed(let version, let name, let error):
            "migration \(version) (\(name)) failed and was rolled back: \(error)"
        case .database(let error): "\(error)"
        }
    }
}
