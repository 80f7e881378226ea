// One private PostgreSQL for the test process, and a separate database for each test.

import CLinux
import FoundationEssentials
import Glibc
public import Postgres
import Synchronization

/// The temporary cluster of the test process. It starts with the first test that needs a database,
/// and is stopped and deleted when the process ends, even by a crash.
public enum TestCluster {
    /// Creates a database with `migrations` applied. It is dropped when the returned object is
    /// released.
    ///
    /// The migrations run once per process; databases are copies of a template. Blocks for some
    /// 50 ms.
    public static func database(migrations: [Migration] = []) throws -> TestDatabase {
        try Requirement.database.check()
        let cluster = try shared.get()
        let template = try templates.withLock { made in
            let key = migrations.map(\.checksum).joined()
            if let name = made[key] { return name }
            let name = try createDatabase(cluster, from: "template0")
            try Migrator(migrations).migrate(cluster.database(named: name))
            made[key] = name
            return name
        }
        let name = try createDatabase(cluster, from: template)
        return TestDatabase(name: name, cluster: cluster)
    }

    private static let templates = Mutex<[String: String]>([:])

    private static func createDatabase(
        _ cluster: PrivateCluster,
        from template: String
    ) throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let connection = try BlockingConnection(cluster.database(named: "postgres"))
        try connection.run("CREATE DATABASE \(name) TEMPLATE \(template)")
        return name
    }

    private static let shared = Result { try start() }

    private static func start() throws -> PrivateCluster {
        // Not in the usual temporary folder: PostgreSQL's user must be able to enter it.
        let folder = "/tmp/stoa-test-cluster-\(UUID().uuidString.lowercased())"
        try TestClusterWatchdog.start(folder: folder)
        var configuration = PrivateCluster.Configuration(folder: folder)
        configuration.isThrowaway = true
        // Nothing has to survive a crash, so nothing has to be flushed to disk.
        configuration.settings = [
            "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
            "max_connections": "400", "shared_buffers": "64MB", "autovacuum": "off",
        ]
        return try PrivateCluster.start(configuration)
    }
}

/// A database for one test, dropped when this object is released.
public final class TestDatabase: Sendable {
    /// The database's name.
    public let name: String
    private let cluster: PrivateCluster

    init(name: String, cluster: PrivateCluster) {
        self.name = name
        self.cluster = cluster
    }

    /// The connection settings.
    public var configuration: PostgresConfiguration { cluster.database(named: name) }

    /// Executes a script, blocking: for checks that bypass the code under test.
    public func run(_ script: String) throws {
        try BlockingConnection(configuration).run(script)
    }

    /// Executes a statement, blocking.
    public func query(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresRows {
        try BlockingConnection(configuration).query(sql, values)
    }

    /// Terminates all connections to this database on the server.
    public func terminateConnections() throws {
        let connection = try BlockingConnection(cluster.database(named: "postgres"))
        _ = try connection.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
            [.text(name)]
        )
    }

    deinit {
        let connection = try? BlockingConnection(cluster.database(named: "postgres"))
        try? connection?.run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }
}
