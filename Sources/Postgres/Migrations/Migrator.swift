// Migrates a database. Each migration is applied in its own transaction, together with the row that
// records it, or in steps outside of one; an advisory lock allows one process at a time. Blocks: use
// it off the loop.

/// Applies migrations in order and records them.
public struct Migrator: Sendable {
    /// The key of the advisory lock: "stoa" in ASCII.
    private static let lockKey: Int64 = 0x7374_6f61
    /// How often a migration is tried that does not get its locks within a second, or not in an
    /// order that agrees with that of others.
    private static let lockAttempts = 120

    private let migrations: [Migration]

    /// Creates a migrator.
    /// - Throws: `badList` if the versions are not 1, 2, 3 and so on.
    public init(_ migrations: [Migration]) throws(MigrationError) {
        for (index, migration) in migrations.enumerated() where migration.version != index + 1 {
            throw .badList(expected: index + 1, found: migration.version)
        }
        self.migrations = migrations
    }

    /// Applies all missing migrations.
    /// - Returns: the applied migrations.
    /// - Throws: `edited` or `databaseNewer` before anything is changed; `failed` if a migration
    ///   fails.
    @discardableResult
    public func migrate(
        _ configuration: PostgresConfiguration
    ) throws(MigrationError) -> [Migration] {
        let connection = try databaseErrors { () throws(PostgresError) in
            try BlockingConnection(configuration)
        }
        var done: [Migration] = []
        var attempts = 1
        while true {
            do throws(MigrationError) {
                guard let migration = try applyNext(connection, configuration) else { return done }
                done.append(migration)
                attempts = 1
            } catch .failed(let version, let name, let error) {
                let isInTheWay = [.lockNotAvailable, .deadlockDetected].contains(error.sqlState)
                guard isInTheWay, attempts < Self.lockAttempts else {
                    throw .failed(version: version, name: name, error)
                }
                // Statements that waited behind it go first.
                attempts += 1
                pause(.milliseconds(500))
            }
        }
    }

    /// Compares a database's schema with the migrations, without changing it.
    /// - Parameter configuration: the connection settings.
    /// - Returns: the applied and the missing migrations.
    /// - Throws: `MigrationError.database` if it cannot be reached or read.
    public func status(
        of configuration: PostgresConfiguration
    ) throws(MigrationError) -> SchemaStatus {
        let applied = try databaseErrors { () throws(PostgresError) in
            let connection = try BlockingConnection(configuration)
            return try AppliedMigration.all(connection) ?? []
        }
        let edited = zip(migrations, applied).filter { $0.checksum != $1.checksum }
        return SchemaStatus(
            appliedCount: applied.count,
            knownCount: migrations.count,
            pending: migrations.dropFirst(applied.count).map(\.name),
            edited: edited.map(\.0.name),
            isNewerUsable: isUsable(applied.dropFirst(migrations.count))
        )
    }

    /// Applies the next missing migration.
    /// - Returns: the migration; nil if none is missing.
    private func applyNext(
        _ connection: BlockingConnection,
        _ configuration: PostgresConfiguration
    ) throws(MigrationError) -> Migration? {
        let applied = try databaseErrors { () throws(PostgresError) in
            try Self.begin(connection)
        }
        do {
            try check(applied)
        } catch {
            try? connection.run("ROLLBACK")
            throw error
        }
        let next = migrations.dropFirst(applied.count).first
        if let next {
            do throws(PostgresError) {
                try Self.apply(next, connection, configuration)
            } catch {
                try? connection.run("ROLLBACK")
                throw .failed(version: next.version, name: next.name, error)
            }
        }
        try databaseErrors { () throws(PostgresError) in try connection.run("COMMIT") }
        return next
    }

    /// Opens a transaction with the lock. The lock belongs to the transaction, not to the
    /// connection, since a pooler may give the next transaction another one.
    /// - Returns: the applied migrations, in order of their versions.
    private static func begin(
        _ connection: BlockingConnection
    ) throws(PostgresError) -> [AppliedMigration] {
        // Not waiting for the lock inside of a statement: CREATE INDEX CONCURRENTLY of the process
        // that has it would wait for the end of that statement.
        while true {
            try connection.run(
                """
                BEGIN; SET LOCAL statement_timeout = 0;
                SET LOCAL idle_in_transaction_session_timeout = 0
                """
            )
            let locked = try connection.query(
                "SELECT pg_try_advisory_xact_lock($1) AS locked",
                [.int64(lockKey)]
            )
            if try locked.first?.decode("locked", as: Bool.self) == true { break }
            try connection.run("ROLLBACK")
            pause(.milliseconds(50))
        }
        if let applied = try AppliedMigration.all(connection) { return applied }
        // A role without the CREATE privilege can still check that nothing is missing.
        try connection.run(AppliedMigration.table)
        return []
    }

    private func check(_ applied: [AppliedMigration]) throws(MigrationError) {
        guard isUsable(applied.dropFirst(migrations.count)) else {
            throw .databaseNewer(
                databaseVersion: applied.count,
                programVersion: migrations.count
            )
        }
        for (migration, known) in zip(migrations, applied)
        where migration.checksum != known.checksum {
            throw .edited(version: migration.version, name: migration.name)
        }
    }

    /// Whether this program works with migrations that it does not know.
    private func isUsable(_ newer: some Sequence<AppliedMigration>) -> Bool {
        newer.allSatisfy { $0.oldestProgram.map { $0 <= migrations.count } ?? false }
    }

    /// Applies a migration, and records it in the transaction of `connection`.
    private static func apply(
        _ migration: Migration,
        _ connection: BlockingConnection,
        _ configuration: PostgresConfiguration
    ) throws(PostgresError) {
        if migration.steps.isEmpty {
            // Statements that come after it wait for it: at most a second.
            try connection.run("SET LOCAL lock_timeout = '1s'")
            try connection.run(migration.sql)
        } else {
            // Ends the last query's portal, whose snapshot CREATE INDEX CONCURRENTLY would wait for.
            try connection.run("SET LOCAL lock_timeout = 0")
            let other = try BlockingConnection(configuration)
            for step in migration.steps {
                switch step {
                case .once(let statement): try other.run(statement)
                case .untilNothingChanges(let statement):
                    while try other.query(statement).affectedRowCount > 0 {}
                }
            }
        }
        try AppliedMigration.record(migration, connection)
    }

    private func databaseErrors<Result>(
        _ body: () throws(PostgresError) -> Result
    ) throws(MigrationError) -> Result {
        do throws(PostgresError) { return try body() } catch { throw .database(error) }
    }
}
