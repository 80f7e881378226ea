// `stoa backup` and `stoa restore`: the private cluster, its self-signed certificate and the config file.
// An external database is backed up by its own tools.

public import ChatProtocol
import FoundationEssentials
public import Logging
import Postgres

/// Backs up and restores a server with a private database. Everything here blocks.
public enum Backup {
    /// Limits of the rate of a backup, in MiB per second.
    public static let rates = ClusterBackup.rates

    /// Writes a backup, while the server runs or not.
    /// - Parameters:
    ///   - folder: the folder to write, which must not exist.
    ///   - settings: the data directory.
    ///   - configFile: the config file to copy; nil for none.
    ///   - rate: maximum MiB of the database per second, in `rates`; nil for no limit.
    /// - Returns: its description.
    /// - Throws: `StartupError`; then there is no such folder.
    public static func write(
        to folder: String,
        of settings: ServerSettings,
        configFile: String?,
        rate: Int? = nil
    ) throws(StartupError) -> BackupRecord {
        let cluster = try privateCluster(of: settings)
        defer { try? cluster.release() }
        let target = BackupFolder(path: absolute(folder))
        let record: BackupRecord
        do {
            record = try describe(cluster)
            try cluster.backUp(to: ClusterBackup(folder: target.path), rate: rate)
        } catch {
            throw StartupError(.cannotCreate, "there is no backup: \(error)")
        }
        do throws(StartupError) {
            try BackupFolder.copy(settings.selfSignedFile, to: target.certificate)
            if let configFile { try BackupFolder.copy(configFile, to: target.settings) }
            try target.write(record)
        } catch {
            try? FileManager.default.removeItem(atPath: target.path)
            throw error
        }
        return record
    }

    /// Makes a data directory of a backup. Its event numbers get a new epoch, so that clients read
    /// again instead of trusting numbers that the restored database does not know.
    /// - Parameters:
    ///   - folder: the backup.
    ///   - settings: the data directory, which must have no database.
    ///   - archive: the folder with archived WAL to recover, too; nil for none.
    ///   - time: the last moment to recover from it; nil for its end.
    /// - Returns: its description.
    /// - Throws: `StartupError`; then the data directory has no database.
    public static func restore(
        _ folder: String,
        to settings: ServerSettings,
        archive: String? = nil,
        until time: Timestamp? = nil
    ) throws(StartupError) -> BackupRecord {
        try requirePrivate(settings)
        let source = BackupFolder(path: absolute(folder))
        let record = try source.read()
        do {
            try FileSystem.makeFolder(settings.dataDirectory)
            let cluster = try PrivateCluster.restore(
                Database.cluster(settings),
                from: ClusterBackup(folder: source.path),
                version: record.postgres,
                target: archive.map {
                    WALArchive.Target(WALArchive(folder: absolute($0)), until: time?.postgresText)
                }
            )
            defer { try? cluster.release() }
            try BlockingConnection(cluster.database)
                .run("UPDATE installation SET epoch = gen_random_uuid()")
        } catch {
            throw StartupError(.cannotCreate, "nothing was restored: \(error)")
        }
        try BackupFolder.copy(source.certificate, to: settings.selfSignedFile)
        return record
    }

    /// Restores a backup into a temporary folder, and examines the database there.
    /// - Parameters:
    ///   - folder: the backup.
    ///   - scratch: the folder in which the temporary one is made.
    ///   - logger: the logger for connections.
    /// - Returns: the checks of the restored database.
    /// - Throws: `StartupError` if it cannot be restored.
    public static func verify(
        _ folder: String,
        in scratch: String,
        logger: Logger
    ) async throws(StartupError) -> DoctorReport {
        var settings = ServerSettings()
        settings.dataDirectory = "\(absolute(scratch))/stoa-verify-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: settings.dataDirectory) }
        _ = try restore(folder, to: settings)
        var options = Doctor.Options()
        options.isThorough = true
        return await Doctor.examineDatabase(settings, options: options, logger: logger)
    }

    // MARK: The cluster

    private static func describe(_ cluster: PrivateCluster) throws -> BackupRecord {
        let connection = try BlockingConnection(cluster.database)
        let rows = try connection.query(
            """
            SELECT (SELECT count(*) FROM schema_migrations) AS schema,
                (SELECT epoch::text FROM installation) AS epoch
            """
        )
        guard let row = rows.first else { throw PostgresError.driver("no schema") }
        return BackupRecord(
            format: BackupRecord.format,
            stoa: StoaVersion.text,
            createdAt: .now,
            schema: Int(try row.decode("schema", as: Int64.self)),
            postgres: cluster.version,
            epoch: try row.decode("epoch", as: String.self)
        )
    }

    private static func privateCluster(
        of settings: ServerSettings
    ) throws(StartupError) -> PrivateCluster {
        try requirePrivate(settings)
        let configuration = Database.cluster(settings)
        do {
            guard try PrivateCluster.inspect(at: configuration).hasData else {
                throw StartupError(.noInput, "\(settings.dataDirectory) has no database to back up")
            }
            return try PrivateCluster.start(configuration)
        } catch let error as StartupError {
            throw error
        } catch {
            throw Database.startupError(error)
        }
    }

    private static func requirePrivate(_ settings: ServerSettings) throws(StartupError) {
        guard settings.databaseURL == nil else {
            throw StartupError(
                .configuration,
                "the settings name a database of yours (database-url): back it up by its own tools, "
                    + "such as pg_basebackup or pgBackRest"
            )
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}

extension Timestamp {
    /// The time as PostgreSQL's settings take it, which know no `Z`.
    fileprivate var postgresText: String {
        description.replacing("T", with: " ").replacing("Z", with: "+00")
    }
}
