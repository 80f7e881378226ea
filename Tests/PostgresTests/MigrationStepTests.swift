// Migrations that hold no lock for long, and programs that work with a newer schema.

import Glibc
import Postgres
import TestSupport
import Testing

@Suite("Migrations beside running servers")
struct MigrationStepTests {
    private static let things = Migration(
        version: 1,
        name: "things",
        sql: "CREATE TABLE things (n int); INSERT INTO things SELECT generate_series(1, 25);"
    )

    @Test("steps run outside of a transaction, and in batches until nothing changes")
    func steps() throws {
        let database = try TestCluster.database(migrations: [Self.things])
        let migration = Migration(
            version: 2,
            name: "steps",
            sql: """
                -- Numbers get a square.
                -- stoa: step
                ALTER TABLE things ADD COLUMN IF NOT EXISTS square int
                -- stoa: repeat
                UPDATE things SET square = n * n WHERE ctid IN (
                    SELECT ctid FROM things WHERE square IS NULL LIMIT 10
                )
                -- stoa: step
                CREATE INDEX CONCURRENTLY IF NOT EXISTS things_square ON things (square)
                """
        )
        #expect(migration.steps.count == 3)
        let applied = try Migrator([Self.things, migration]).migrate(database.configuration)
        #expect(applied.map(\.version) == [2])
        let rows = try database.query("SELECT sum(square)::int FROM things")
        #expect(try rows.first?.decode(as: Int32.self) == 5525)
        let batches = try database.query("SELECT DISTINCT xmin::text FROM things")
        #expect(batches.count == 3)
        #expect(try Migrator([Self.things, migration]).migrate(database.configuration).isEmpty)
    }

    @Test("after a failed step all are done again")
    func interrupted() throws {
        let database = try TestCluster.database(migrations: [Self.things])
        let script = """
            -- stoa: step
            CREATE TABLE IF NOT EXISTS others (n int)
            -- stoa: step
            INSERT INTO others SELECT n FROM missing
            """
        let migration = Migration(version: 2, name: "others", sql: script)
        let migrator = try Migrator([Self.things, migration])
        let error = #expect(throws: MigrationError.self) {
            try migrator.migrate(database.configuration)
        }
        guard case .failed(version: 2, name: "others", let cause) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(cause.sqlState == .undefinedTable)
        #expect(try migrator.status(of: database.configuration).pending == ["others"])
        try database.run("CREATE TABLE missing AS SELECT 1 AS n")
        #expect(try migrator.migrate(database.configuration).count == 1)
        #expect(try database.query("SELECT FROM others").count == 1)
    }

    @Test("two programs at once: the other one's index is made although this one waits")
    func concurrentIndex() async throws {
        let database = try TestCluster.database(migrations: [Self.things])
        let index = Migration(
            version: 2,
            name: "index",
            sql: "-- stoa: step\nCREATE INDEX CONCURRENTLY IF NOT EXISTS things_n ON things (n)"
        )
        let migrator = try Migrator([Self.things, index])
        let configuration = database.configuration
        async let one = onThread { try migrator.migrate(configuration).count }
        async let other = onThread { try migrator.migrate(configuration).count }
        #expect(try await [one, other].sorted() == [0, 1])
    }

    @Test("a migration that waits for a lock lets others pass every second")
    func lockTimeout() async throws {
        let database = try TestCluster.database(migrations: [Self.things])
        let change = Migration(version: 2, name: "x", sql: "ALTER TABLE things ADD COLUMN x int")
        let migrator = try Migrator([Self.things, change])
        let configuration = database.configuration
        let reader = try BlockingConnection(configuration)
        try reader.run("BEGIN; SELECT FROM things")
        async let applied = onThread { try migrator.migrate(configuration).count }
        let waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'things'::regclass"
        // On a thread of its own: the migration may need this one.
        try await onThread {
            while try database.query(waiting).isEmpty { poll(nil, 0, 10) }
            while try !database.query(waiting).isEmpty { poll(nil, 0, 10) }
        }
        // It gave up, and another one could have had the lock.
        try reader.run("COMMIT")
        #expect(try await applied == 1)
    }

    @Test(
        "a program works with a newer schema if all newer migrations say so",
        arguments: [(1, true), (2, false), (nil, false)]
    )
    func newer(oldest: Int?, isUsable: Bool) throws {
        let line = oldest.map { "-- stoa: works with \($0)\n" } ?? ""
        let second = Migration(version: 2, name: "second", sql: "\(line)CREATE TABLE b (n int)")
        #expect(second.oldestProgram == oldest)
        let database = try TestCluster.database(migrations: [Self.things, second])
        let older = try Migrator([Self.things])
        if isUsable {
            #expect(try older.migrate(database.configuration).isEmpty)
        } else {
            #expect(throws: MigrationError.databaseNewer(databaseVersion: 2, programVersion: 1)) {
                try older.migrate(database.configuration)
            }
        }
        #expect(try older.status(of: database.configuration).isNewerUsable == isUsable)
    }

    @Test("a table of migrations that an earlier program made is used")
    func earlierTable() throws {
        let database = try TestCluster.database(migrations: [Self.things])
        try database.run("ALTER TABLE schema_migrations DROP COLUMN works_with")
        let second = Migration(version: 2, name: "second", sql: "CREATE TABLE b (n int)")
        let migrator = try Migrator([Self.things, second])
        #expect(try migrator.status(of: database.configuration).pending == ["second"])
        #expect(try migrator.migrate(database.configuration).count == 1)
    }

    @Test(
        "other comments are part of the script",
        arguments: ["-- stoa: steps", "-- stoa: works with x", "--stoa: step", " -- stoa: step"]
    )
    func otherLines(line: String) {
        let migration = Migration(version: 1, name: "x", sql: "\(line)\nSELECT 1")
        #expect(migration.steps.isEmpty && migration.oldestProgram == nil)
    }
}
