// Initializes a cluster and starts its server. Called with the change lock held.

import CPostgres
import FoundationEssentials
import Glibc
import Synchronization

extension PrivateCluster {
    /// Creates the data directory on first use, under a temporary name that is then renamed, so
    /// that an interrupted setup leaves nothing incomplete.
    func initializeIfNeeded() throws(ClusterError) {
        guard folders.dataVersion == nil else { return }
        try? FileManager.default.removeItem(atPath: folders.newData)
        let arguments = [
            "--pgdata=\(folders.newData)", "--username=\(Self.databaseName)",
            "--encoding=UTF8", "--locale=\(Self.sortingByBytes())", "--data-checksums",
            // Only the cluster's user and root can enter the socket's folder.
            "--auth-local=trust", "--auth-host=reject",
        ]
        let fast = configuration.isThrowaway ? ["--no-sync"] : []
        try ChildProcess(account: account, folder: folders.root)
            .run(programs.initdb, arguments + fast)
        try appendSettings(to: "\(folders.newData)/postgresql.conf")
        guard rename(folders.newData, folders.data) == 0 else {
            throw .system(operation: "rename", path: folders.newData, errno: errno)
        }
    }

    /// Adopts the running server or starts one, and waits until it accepts connections.
    /// - Returns: whether it was started.
    func ensureRunning() throws(ClusterError) -> Bool {
        let deadline = ContinuousClock.now + configuration.startDeadline
        if let postmaster = Postmaster.running(in: folders.data),
            try waitUntilReady(postmaster, deadline)
        {
            return false
        }
        try waitForOrphans(deadline)
        let postmaster = try startServer()
        guard try waitUntilReady(postmaster, deadline) else {
            let output = outputOfStart()
            throw .serverEnded(output: lastLines(output), logFolder: folders.log)
        }
        return true
    }

    /// What the server printed: on standard error until its own log began, which has the rest.
    private func outputOfStart() -> String {
        let output = textOfFile(folders.startupLog) ?? ""
        return output.contains("redirecting log output") ? output + folders.endOfLog() : output
    }

    /// After a postmaster was killed its children take a moment to notice, and so may its own exit;
    /// until then no other one can start.
    private func waitForOrphans(_ deadline: ContinuousClock.Instant) throws(ClusterError) {
        while Postmaster.hasProcesses(in: folders.data) || !collectChild() {
            guard ContinuousClock.now < deadline else {
                throw .deadlineExceeded(
                    waitingFor: "end all its processes",
                    logFolder: folders.log
                )
            }
            pause(.milliseconds(20))
        }
    }

    /// Reaps the server that was started here, independent of its files, which it removes when it
    /// ends.
    /// - Returns: false if it has not ended.
    private func collectChild() -> Bool {
        child.withLock { child in
            guard let process = child else { return true }
            // It is an error if `Postmaster.isAlive` has already reaped it.
            guard waitpid(process, nil, WNOHANG) != 0 else { return false }
            child = nil
            return true
        }
    }

    /// Creates the database on the first start.
    func createDatabaseIfNeeded() throws(ClusterError) {
        do {
            let connection = try BlockingConnection(database(named: "postgres"))
            let found = try connection.query(
                "SELECT 1 FROM pg_database WHERE datname = $1",
                [.text(Self.databaseName)]
            )
            if found.isEmpty { try connection.run("CREATE DATABASE \(Self.databaseName)") }
        } catch {
            throw .databaseFailed(error)
        }
    }

    private func startServer() throws(ClusterError) -> Postmaster {
        let socketFolder = try folders.prepareSocketFolder(
            for: account,
            temporaryFolder: ClusterFolders.shortTemporaryFolder(for: account)
        )
        removeStaleLocks(socketFolder: socketFolder)
        var settings = configuration.settings
        if let archive = configuration.archive {
            try archive.check(for: account)
            settings.merge(archive.archivingSettings) { $1 }
        }
        // Not in postgresql.conf: settings that the cluster's security depends on are passed at
        // every start.
        settings["listen_addresses"] = ""
        settings["port"] = "5432"
        settings["unix_socket_directories"] = socketFolder
        settings["unix_socket_permissions"] = "0700"
        // After a crash all files are synced before recovery; one by one this takes seconds.
        settings["recovery_init_sync_method"] = "syncfs"
        let output = try OwnedDescriptor(
            opening: folders.startupLog,
            O_WRONLY | O_CREAT | O_TRUNC
        )
        try account.takeOwnership(of: folders.startupLog)
        let arguments = settings.sorted { $0.key < $1.key }.flatMap {
            ["-c", "\($0.key)=\($0.value)"]
        }
        let process = try ChildProcess(account: account, folder: folders.root).start(
            programs.postgres,
            ["-D", folders.data] + arguments,
            output: output.number
        )
        child.withLock { $0 = process }
        return Postmaster(process: process, socketFolder: socketFolder)
    }

    /// - Returns: false if the server ended instead.
    private func waitUntilReady(
        _ postmaster: Postmaster,
        _ deadline: ContinuousClock.Instant
    ) throws(ClusterError) -> Bool {
        while postmaster.isAlive {
            if postmaster.acceptsConnections { return true }
            guard ContinuousClock.now < deadline else {
                throw .deadlineExceeded(waitingFor: "accept connections", logFolder: folders.log)
            }
            pause(.milliseconds(20))
        }
        return false
    }

    /// After a crash of a whole container, the process id in PostgreSQL's lock files may belong to
    /// an unrelated process; and a killed server keeps its id until its parent reaps it. PostgreSQL
    /// would refuse to start. Our locks guarantee that no other process uses this cluster, so the
    /// files can be removed if no server responds.
    private func removeStaleLocks(socketFolder: String) {
        let recorded = Postmaster.recorded(in: folders.data)
        for folder in [socketFolder, recorded?.socketFolder].compactMap({ $0 }) {
            guard !Postmaster.acceptsConnections(in: folder) else { return }
        }
        unlink("\(folders.data)/postmaster.pid")
        unlink("\(socketFolder)/.s.PGSQL.5432.lock")
    }

    private func appendSettings(to path: String) throws(ClusterError) {
        let settings = """

            # Stoa's choices, written once when the cluster was made; change them as you like.
            max_connections = 100
            shared_buffers = \(sharedBufferMebibytes)MB
            fsync = on
            synchronous_commit = on
            timezone = 'UTC'
            # A week of logs, without the values in them: messages and secrets stay out.
            logging_collector = on
            log_filename = 'postgresql-%a.log'
            log_rotation_age = 1d
            log_truncate_on_rotation = on
            log_error_verbosity = terse

            """
        let file = try OwnedDescriptor(opening: path, O_WRONLY | O_APPEND)
        let bytes = Array(settings.utf8)
        guard write(file.number, bytes, bytes.count) == bytes.count else {
            throw .system(operation: "write", path: path, errno: errno)
        }
    }

    /// The size of shared_buffers: an eighth of the memory within limits, since models need most of
    /// it. It is allocated as needed.
    private var sharedBufferMebibytes: Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let memory = configuration.memory.map(Int.init) ?? machine
        return min(max(32, (memory >> 20) / 8), 2048)
    }

    /// `C.UTF-8` if the system has it, so that upper and lower case work beyond ASCII; otherwise
    /// `C`.
    private static func sortingByBytes() -> String {
        // LC_ALL_MASK is a macro with casts that Swift does not import; collation suffices for the
        // check.
        guard let locale = newlocale(1 << LC_COLLATE, "C.UTF-8", nil) else { return "C" }
        freelocale(locale)
        return "C.UTF-8"
    }
}
