// Migrates a database. Each migration is applied in its own transaction, together with the row that
// records it; an advisory lock allows one process at a time. Blocks: use it off the loop.

/// Applies migrations in order and records them.
public struct Migrator: Sendable {
    /// The key of the advisory lock: "stoa" in ASCII.
    private static let lockKey: Int64 = 0x7374_6f61

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
        while let migration = try applyNext(connection) { done.append(migration) }
        return done
    }

    /// Compares a database's schema with the migrations, without changing it.
    /// - Parameter configuration: the connection settings.
    /// - Returns: the applied and the missing migrations.
    /// - Throws: `MigrationError.database` if it cannot be reached or read.
    public func status(
        of configuration: PostgresConfiguration
    ) throws(MigrationError) -> SchemaStatus {
        let checksums = try databaseErrors { () throws(PostgresError) in
            let connection = try BlockingConnection(configuration)
            guard try Self.hasTable(connection) else { return [String]() }
            return try Self.checksums(connection)
        }
        let edited = zip(migrations, checksums).filter { $0.checksum != $1 }.map(\.0.name)
        return SchemaStatus(
            appliedCount: checksums.count,
            knownCount: migrations.count,
            pending: migrations.dropFirst(checksums.count).map(\.name),
            edited: edited
        )
    }

    /// Applies the next missing migration.
    /// - Returns: the migration; nil if none is missing.
    private func applyNext(
        _ connection: BlockingConnection
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
        if let next { try Self.apply(next, connection) }
        try databaseErrors { () throws(PostgresError) in try connection.run("COMMIT") }
        return next
    }

    /// Opens a transaction with the lock. The lock belongs to the transaction, not to the
    /// connection, since a pooler may give the next transaction another one.
    /// - Returns: the checksums of the applied migrations, in order of their versions.
    private static func begin(_ connection: BlockingConnection) throws(PostgresError) -> [String] {
        try connection.run("BEGIN; SET LOCAL statement_timeout = 0")
        _ = try connection.query("SELECT pg_advisory_xact_lock($1)", [.int64(lockKey)])
        // A role without the CREATE privilege can still check that nothing is missing.
        if try !hasTable(connection) {
            try connection.run(
                """
                CREATE TABLE schema_migrations (
                    version int PRIMARY KEY,
                    name text NOT NULL,
                    checksum text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                )
                """
            )
        }
        return try checksums(connection)
    }

    private static func hasTable(_ connection: BlockingConnection) throws(PostgresError) -> Bool {
        let found = try connection.query("SELECT to_regclass('schema_migrations') IS NOT NULL")
        return try found.first?.decode(as: Bool.self) == true
    }

    /// The checksums of the applied steps, in order of their versions.
    private static func checksums(
        _ connection: BlockingConnection
    ) throws(PostgresError) -> [String] {
        let rows = try connection.query("SELECT checksum FROM schema_migrations ORDER BY version")
        var checksums: [String] = []
        for row in rows { checksums.append(try row.decode("checksum")) }
        return checksums
    }

    private func check(_ applied: [String]) throws(MigrationError) {
        guard applied.count <= migrations.count else {
            throw .databaseNewer(
                databaseVersion: applied.count,
                programVersion: migrations.count
            )
        }
        for (migration, checksum) in zip(migrations, applied) where migration.checksum != checksum {
            throw .edited(version: migration.version, name: migration.name)
        }
    }

    private static func apply(
        _ migration: Migration,
        _ connection: BlockingConnection
    ) throws(MigrationError) {
        do throws(PostgresError) {
            try connection.run(migration.sql)
            _ = try connection.query(
                "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                [
                    .int32(Int32(migration.version)), .text(migration.name),
                    .text(migration.checksum),
                ]
            )
        } catch {
            try? connection.run("ROLLBACK")
            throw .failed(version: migration.version, name: migration.name, error)
        }
    }

    private func databaseErrors<Result>(
        _ body: () throws(PostgresError) -> Result
    ) throws(MigrationError) -> Result {
        do throws(PostgresError) { return try body() } catch { throw .database(error) }
    }
}
