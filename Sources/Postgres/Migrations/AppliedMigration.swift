// The table of applied migrations.

/// A migration that a database has applied.
struct AppliedMigration {
    /// SHA-256 of its script.
    let checksum: String
    /// See `Migration.oldestProgram`.
    let oldestProgram: Int?

    /// Makes the table.
    static let table = """
        CREATE TABLE schema_migrations (
            version int PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now(),
            works_with int
        )
        """

    /// Those of a database, in order of their versions; nil if it has no table of them.
    static func all(
        _ connection: BlockingConnection
    ) throws(PostgresError) -> [AppliedMigration]? {
        let found = try connection.query("SELECT to_regclass('schema_migrations') IS NOT NULL")
        guard try found.first?.decode(as: Bool.self) == true else { return nil }
        // Tables of earlier programs have no column works_with.
        let rows = try connection.query(
            """
            SELECT checksum, (to_jsonb(m) ->> 'works_with')::int AS works_with
            FROM schema_migrations m ORDER BY version
            """
        )
        var applied: [AppliedMigration] = []
        for row in rows {
            applied.append(
                AppliedMigration(
                    checksum: try row.decode("checksum"),
                    oldestProgram: try row.decode("works_with", as: Int32?.self).map(Int.init)
                )
            )
        }
        return applied
    }

    /// Records that a migration was applied.
    static func record(
        _ migration: Migration,
        _ connection: BlockingConnection
    ) throws(PostgresError) {
        try connection.run("ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS works_with int")
        _ = try connection.query(
            """
            INSERT INTO schema_migrations (version, name, checksum, works_with)
            VALUES ($1, $2, $3, $4)
            """,
            [
                .int32(Int32(migration.version)), .text(migration.name),
                .text(migration.checksum),
                migration.oldestProgram.map { .int32(Int32($0)) } ?? .null,
            ]
        )
    }
}
