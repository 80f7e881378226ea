// Backups of a cluster while it runs, by PostgreSQL's own programs: pg_basebackup copies the data
// directory and the WAL that makes the copy consistent, and writes a manifest with a checksum of
// each file, which pg_verifybackup checks.
// https://www.postgresql.org/docs/current/app-pgbasebackup.html

import FoundationEssentials
import Glibc

/// The files of a backup of a cluster, which `PrivateCluster.backUp` writes.
public struct ClusterBackup: Sendable, Equatable {
    /// The folder.
    public let folder: String

    /// The backup in `folder`.
    public init(folder: String) { self.folder = folder }

    /// The limits of pg_basebackup's option `--max-rate`, in MiB per second.
    public static let rates = 1...1024

    var base: String { "\(folder)/base.tar.gz" }
    var log: String { "\(folder)/pg_wal.tar.gz" }
    var manifest: String { "\(folder)/backup_manifest" }

    /// The files that a complete backup has.
    public var files: [String] { [base, log, manifest] }
}

extension PrivateCluster {
    /// The major version of the cluster's programs.
    public var version: Int { programs.version }

    /// Writes a backup of the running cluster. Blocks; others can use the cluster meanwhile.
    /// - Parameters:
    ///   - backup: its folder, which must not exist.
    ///   - rate: maximum MiB per second to read, in `ClusterBackup.rates`; nil for no limit.
    /// - Throws: `ClusterError`; then the folder is removed.
    public func backUp(to backup: ClusterBackup, rate: Int? = nil) throws(ClusterError) {
        guard mkdir(backup.folder, 0o700) == 0 else {
            throw .system(operation: "mkdir", path: backup.folder, errno: errno)
        }
        do {
            try account.takeOwnership(of: backup.folder)
            let socket =
                Postmaster.running(in: folders.data)?.socketFolder ?? folders.expectedSocketFolder
            let limit = rate.map { ["--max-rate=\($0)M"] } ?? []
            // It compresses with the processor time that nobody else wants: a nice process delays
            // others for milliseconds, one of the idle class gives way at once (sched(7)).
            try ChildProcess(account: account, folder: backup.folder).run(
                "/usr/bin/env",
                [
                    "chrt", "--idle", "0", programs.program("pg_basebackup"),
                    "--host=\(socket)", "--username=\(Self.databaseName)", "--no-password",
                    "--pgdata=\(backup.folder)", "--format=tar", "--gzip", "--wal-method=stream",
                    "--checkpoint=fast", "--manifest-checksums=SHA256", "--label=stoa",
                ] + limit
            )
        } catch {
            try? FileManager.default.removeItem(atPath: backup.folder)
            throw error
        }
    }

    /// Makes a cluster of a backup, checks each of its files, starts it, and waits until it is
    /// recovered.
    /// - Parameters:
    ///   - configuration: the new cluster's folder, which must have no data.
    ///   - backup: the backup.
    ///   - version: the major version of PostgreSQL that wrote it.
    ///   - target: where recovery ends; nil for the end of the backup.
    /// - Returns: the cluster.
    /// - Throws: `ClusterError`; then there is no data in the new cluster's folder.
    public static func restore(
        _ configuration: Configuration,
        from backup: ClusterBackup,
        version: Int,
        target: WALArchive.Target?
    ) throws(ClusterError) -> PrivateCluster {
        guard ClusterFolders(root: configuration.folder).dataVersion == nil else {
            throw .folderHasData(folder: configuration.folder)
        }
        let account = try ClusterAccount.choose(for: configuration.folder)
        let programs = try ServerPrograms.find(
            in: configuration.programPlaces,
            version: version,
            account: account
        )
        let folders = try ClusterFolders.prepare(configuration.folder, for: account)
        try unpack(backup, into: folders, account, programs)
        if target != nil {
            // Tells PostgreSQL to recover from the archive.
            let signal = "\(folders.newData)/recovery.signal"
            try writeText("", to: signal)
            try account.takeOwnership(of: signal)
        }
        guard rename(folders.newData, folders.data) == 0 else {
            throw .system(operation: "rename", path: folders.newData, errno: errno)
        }
        var starting = configuration
        starting.settings.merge(target?.recoverySettings ?? [:]) { $1 }
        do {
            let cluster = try start(starting)
            try cluster.waitUntilRecovered(within: configuration.startDeadline)
            return cluster
        } catch {
            try? FileManager.default.removeItem(atPath: folders.data)
            throw error
        }
    }

    private static func unpack(
        _ backup: ClusterBackup,
        into folders: ClusterFolders,
        _ account: ClusterAccount,
        _ programs: ServerPrograms
    ) throws(ClusterError) {
        let new = folders.newData
        try? FileManager.default.removeItem(atPath: new)
        do {
            try makeFolder(new, mode: 0o700)
            try account.takeOwnership(of: new)
            // As ourselves, who can read the backup; the files are the account's afterwards.
            for (archive, folder) in [(backup.base, new), (backup.log, "\(new)/pg_wal")] {
                try ChildProcess(account: .ours, folder: folders.root).run(
                    "/usr/bin/env",
                    [
                        "tar", "--extract", "--gzip", "--file=\(archive)", "--directory=\(folder)",
                        "--no-same-owner",
                    ]
                )
            }
            try giveAway(new, to: account)
            try writeText(textOfManifest(backup), to: "\(new)/backup_manifest")
            try account.takeOwnership(of: "\(new)/backup_manifest")
            try ChildProcess(account: account, folder: new)
                .run(programs.program("pg_verifybackup"), ["--exit-on-error", "--quiet", new])
            // The log of the other cluster.
            try? FileManager.default.removeItem(atPath: "\(new)/log")
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw error
        }
    }

    private static func textOfManifest(_ backup: ClusterBackup) throws(ClusterError) -> String {
        guard let text = textOfFile(backup.manifest) else {
            throw .system(operation: "read", path: backup.manifest, errno: errno)
        }
        return text
    }

    /// Changes the owner of everything in a folder.
    private static func giveAway(
        _ folder: String,
        to account: ClusterAccount
    ) throws(ClusterError) {
        guard account.differsFromOurs else { return }
        try ChildProcess(account: .ours, folder: folder)
            .run("/usr/bin/env", ["chown", "-R", "\(account.user):\(account.group)", folder])
    }

    /// With an archive, PostgreSQL accepts connections before it has recovered everything.
    private func waitUntilRecovered(within duration: Duration) throws(ClusterError) {
        let deadline = ContinuousClock.now + duration
        while true {
            do {
                let connection = try BlockingConnection(database)
                let rows = try connection.query("SELECT pg_is_in_recovery() AS recovers")
                if try rows.first?.decode("recovers", as: Bool.self) == false { return }
            } catch {
                throw .databaseFailed(error)
            }
            guard ContinuousClock.now < deadline else {
                throw .deadlineExceeded(waitingFor: "recover", logFolder: folders.log)
            }
            pause(.milliseconds(50))
        }
    }
}
