// The server's database: the one in the settings, or a private cluster in the data directory, with
// its schema migrated.

import ChatProtocol
import Postgres

/// A database with a current schema, and the resources to release afterwards.
///
/// Opening and releasing it waits for programs and locks: never do it on a loop.
public final class Database: Sendable {
    /// The connection settings.
    let configuration: PostgresConfiguration
    /// The connection settings for LISTEN; nil to use no LISTEN.
    let listening: PostgresConfiguration?
    /// The private cluster; nil for an external database.
    let cluster: PrivateCluster?
    /// The migrations that opening it applied, by name.
    public let appliedMigrations: [String]

    /// The migrations inside the program.
    static let migrations = BundledFolder.migrations.files.compactMap { file in
        Migration(fileName: file.path, sql: String(decoding: file.bytes, as: UTF8.self))
    }

    /// Opens the database of these settings. Starts the private cluster if it is not running.
    /// - Parameter settings: the database, and the number of connections.
    /// - Throws: `StartupError`, which says what to do.
    public convenience init(_ settings: ServerSettings) throws(StartupError) {
        do { try self.init(opening: settings, migrates: true) } catch {
            throw Self.startupError(error)
        }
    }

    /// The startup error for a database that could not be opened.
    static func startupError(_ error: any Error) -> StartupError {
        StartupError(
            .unavailable,
            "the database cannot be used: \(error)\(advice(on: "\(error)"))"
        )
    }

    /// Opens the database of these settings.
    /// - Parameters:
    ///   - settings: the database, and the number of connections.
    ///   - migrates: whether to migrate its schema; otherwise an external database is not connected
    ///     to yet.
    ///   - retry: how long to wait for an unreachable database.
    /// - Throws: `PostgresError`, `ClusterError` or `MigrationError`; what `retry.sleep` throws.
    init(
        opening settings: ServerSettings,
        migrates: Bool,
        retry: ConnectRetry = .never
    ) throws {
        if let url = settings.databaseURL {
            cluster = nil
            var configuration = try PostgresConfiguration(connectionString: url)
            configuration.connectionCount = settings.databaseConnections
            configuration.poolsTransactions = settings.databasePooling == .transaction
            self.configuration = configuration
            listening = try Self.listening(settings, configuration)
        } else {
            let cluster = try PrivateCluster.start(Self.cluster(settings))
            var configuration = cluster.database
            configuration.connectionCount = settings.databaseConnections
            // The socket is local and used only by this server: frequent attempts cost nothing.
            configuration.reconnectPause = .milliseconds(50)...(.milliseconds(200))
            self.cluster = cluster
            self.configuration = configuration
            listening = configuration
        }
        let configuration = configuration
        let applied =
            migrates
            ? try retry.run(configuration) { try Migrator(Self.migrations).migrate(configuration) }
            : []
        appliedMigrations = applied.map(\.name)
    }

    /// The configuration of the private cluster of these settings.
    static func cluster(_ settings: ServerSettings) -> PrivateCluster.Configuration {
        var configuration = PrivateCluster.Configuration(
            folder: "\(settings.dataDirectory)/postgres"
        )
        configuration.memory = MachineMemory.current?.totalBytes
        configuration.archive = settings.walArchive.map { WALArchive(folder: $0) }
        return configuration
    }

    /// The connection settings for LISTEN, which transaction pooling does not support.
    private static func listening(
        _ settings: ServerSettings,
        _ configuration: PostgresConfiguration
    ) throws(PostgresError) -> PostgresConfiguration? {
        switch settings.databaseListenURL {
        case "none": return nil
        case let url?: return try PostgresConfiguration(connectionString: url)
        case nil: return configuration.poolsTransactions ? nil : configuration
        }
    }

    /// Advice for settings that PgBouncer rejects and PostgreSQL accepts.
    private static func advice(on reason: String) -> String {
        guard reason.contains("unsupported startup parameter") else { return "" }
        return "; where that is PgBouncer, say --database-pooling transaction"
    }

    /// Releases the private cluster; it stops if no other process uses it.
    public func release() {
        // A cluster that does not stop in time is adopted by the next start.
        try? cluster?.release()
    }
}
