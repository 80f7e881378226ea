// The database that the server runs on: the one that was named, or a private cluster in the data
// directory; its schema brought up to date.

import Postgres

/// A database with an up-to-date schema, and what has to be let go of afterwards.
///
/// Opening and releasing one waits for programs and locks: never on a loop.
public final class Database: Sendable {
    /// How to connect.
    let configuration: PostgresConfiguration
    /// How to connect for LISTEN; nil where wake-ups are not to be heard.
    let listening: PostgresConfiguration?
    /// The private cluster; nil where the database is somebody else's.
    let cluster: PrivateCluster?
    /// The migrations that opening it applied, by name.
    public let appliedMigrations: [String]

    /// The schema's history, as it travels inside the program.
    static let migrations = BundledFolder.migrations.files.compactMap { file in
        Migration(fileName: file.path, sql: String(decoding: file.bytes, as: UTF8.self))
    }

    /// Opens the database of these settings. The private cluster is started where it does not run.
    /// - Parameter settings: which database, and how many connections.
    /// - Throws: `StartupError`, which says what to do.
    public convenience init(_ settings: ServerSettings) throws(StartupError) {
        do { try self.init(opening: settings, migrates: true) } catch {
            throw Self.startupError(error)
        }
    }

    /// What the end of a start says of a database that could not be opened.
    static func startupError(_ error: any Error) -> StartupError {
        StartupError(
            .unavailable,
            "the database cannot be used: \(error)\(advice(on: "\(error)"))"
        )
    }

    /// Opens the database of these settings.
    /// - Parameters:
    ///   - settings: which database, and how many connections.
    ///   - migrates: whether its schema is brought up to date; without it a database of somebody
    ///     else's is not connected to yet.
    ///   - retry: how long to wait for a database that cannot be reached.
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
            // Its socket is on this machine and nobody else's: asking often costs nothing.
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

    /// Where the private cluster of these settings lies.
    static func cluster(_ settings: ServerSettings) -> PrivateCluster.Configuration {
        PrivateCluster.Configuration(folder: "\(settings.dataDirectory)/postgres")
    }

    /// The way to PostgreSQL for LISTEN, which no pooler of transactions carries.
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

    /// What helps where PgBouncer refuses what PostgreSQL takes.
    private static func advice(on reason: String) -> String {
        guard reason.contains("unsupported startup parameter") else { return "" }
        return "; where that is PgBouncer, say --database-pooling transaction"
    }

    /// Lets go of the private cluster; it stops where nobody else uses it.
    public func release() {
        // A cluster that does not stop in time is adopted by the next start.
        try? cluster?.release()
    }
}
