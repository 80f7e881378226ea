import Glibc
import Postgres
import TestSupport
import Testing

/// Migrations, on a real database.
@Suite("Migrator")
struct MigratorTests {
    static let first = Migration(version: 1, name: "things", sql: "CREATE TABLE things (n int);")
    static let second = Migration(
        version: 2,
        name: "rows",
        sql: "INSERT INTO things VALUES (1); INSERT INTO things VALUES (2);"
    )

    @Test("migrations are applied once and in order")
    func appliedOnce() throws {
        let database = try TestCluster.database()
        #expect(try Migrator([Self.first]).migrate(database.configuration) == [Self.first])
        let both = try Migrator([Self.first, Self.second])
        #expect(try both.migrate(database.configuration) == [Self.second])
        #expect(try both.migrate(database.configuration) == [])
        #expect(try database.query("SELECT n FROM things").count == 2)
        let names = try database.query("SELECT name FROM schema_migrations ORDER BY version")
        #expect(try names.map { try $0.decode(as: String.self) } == ["things", "rows"])
    }

    @Test("an edited migration is refused before anything is changed")
    func edited() throws {
        let database = try TestCluster.database(migrations: [Self.first])
        let edited = Migration(version: 1, name: "things", sql: Self.first.sql + " ")
        #expect(throws: MigrationError.edited(version: 1, name: "things")) {
            try Migrator([edited, Self.second]).migrate(database.configuration)
        }
        #expect(try database.query("SELECT n FROM things").isEmpty)
    }

    @Test("a newer database is refused")
    func newer() throws {
        let database = try TestCluster.database(migrations: [Self.first, Self.second])
        #expect(throws: MigrationError.databaseNewer(databaseVersion: 2, programVersion: 1)) {
            try Migrator([Self.first]).migrate(database.configuration)
        }
    }

    @Test("a failed migration is rolled back completely, earlier ones stay")
    func failing() throws {
        let database = try TestCluster.database()
        let bad = Migration(
            version: 2,
            name: "bad",
            sql: "INSERT INTO things VALUES (1); SELECT 1/0;"
        )
        let error = #expect(throws: MigrationError.self) {
            try Migrator([Self.first, bad]).migrate(database.configuration)
        }
        guard case .failed(version: 2, name: "bad", let cause) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(cause.sqlState == SQLState(rawValue: "22012"))
        #expect(try database.query("SELECT n FROM things").isEmpty)
        #expect(try database.query("SELECT 1 FROM schema_migrations").count == 1)
    }

    @Test("two concurrent migrators apply each migration once")
    func concurrent() async throws {
        let database = try TestCluster.database()
        let slow = Migration(
            version: 1,
            name: "slow",
            sql: "SELECT pg_sleep(0.2); CREATE TABLE slow (n int);"
        )
        let migrator = try Migrator([slow])
        let configuration = database.configuration
        // Threads, not tasks: they block, and a task pool may have only one thread.
        async let one = onThread { try migrator.migrate(configuration).count }
        async let other = onThread { try migrator.migrate(configuration).count }
        #expect(try await [one, other].sorted() == [0, 1])
    }

    @Test("versions must be consecutive")
    func badList() {
        #expect(throws: MigrationError.badList(expected: 2, found: 3)) {
            try Migrator([Self.first, Migration(version: 3, name: "x", sql: "")])
        }
    }

    @Test(
        "file names give version and name",
        arguments: [
            ("0001_users.sql", 1, "users"), ("0123_a_2nd_try.sql", 123, "a_2nd_try"),
        ]
    )
    func fileName(file: String, version: Int, name: String) throws {
        let migration = try #require(Migration(fileName: file, sql: ""))
        #expect(migration.version == version)
        #expect(migration.name == name)
    }

    @Test(
        "other file names are refused",
        arguments: [
            "1_users.sql", "0001users.sql", "0001_.sql", "0000_zero.sql", "0001_users.txt",
            "0001_../x.sql", "README.md", "", ".sql",
        ]
    )
    func badFileName(file: String) {
        #expect(Migration(fileName: file, sql: "") == nil)
    }

    @Test("the checksum is SHA-256")
    func checksum() {
        #expect(
            Migration(version: 1, name: "x", sql: "abc").checksum
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
    }
}

/// Runs `body` on a new thread.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let job = ThreadJob { continuation.resume(with: Result { try body() }) }
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ThreadJob>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            Unmanaged.passRetained(job).toOpaque()
        )
        precondition(status == 0, "no thread available")
        pthread_detach(thread)
    }
}

private final class ThreadJob: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
