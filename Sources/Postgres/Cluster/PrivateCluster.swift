// The embedded default: a PostgreSQL of Stoa's own, in its data directory, reachable through a Unix
// socket only. Everything here blocks; call it off the loop.
//
// Several processes may use one cluster (`stoa user add` beside `stoa serve`). Each holds a shared
// lock; the last one to leave stops the server. A process that dies without leaving, leaves the
// server running, and the next one adopts it.

import Glibc
import Synchronization

/// A private PostgreSQL cluster that this process uses.
public final class PrivateCluster: Sendable {
    /// The name of the cluster's superuser, and of the database that `start` creates.
    public static let databaseName = "stoa"

    /// How to set up and start the cluster.
    public struct Configuration: Sendable {
        /// The folder for the cluster's files; made where it is missing.
        public var folder: String
        /// Where PostgreSQL's programs are looked for.
        public var programPlaces: ProgramPlaces = .usual
        /// Server settings for this start, over those in `postgresql.conf`.
        public var settings: [String: String] = [:]
        /// For tests: new files need not reach the disk.
        package var isThrowaway = false
        /// How long a start may take. Long: after a crash the server first replays its log.
        public var startDeadline: Duration = .seconds(300)
        /// How long a fast shutdown may take before the server is ended the hard way.
        public var stopDeadline: Duration = .seconds(60)

        /// The usual configuration, in `folder`.
        public init(folder: String) { self.folder = folder }
    }

    let configuration: Configuration
    let account: ClusterAccount
    let folders: ClusterFolders
    let programs: ServerPrograms
    private let users: ClusterLock
    /// The server that was started here, until it has ended and is collected.
    let child = Mutex<pid_t?>(nil)

    /// Sets up the cluster on first use, starts its server or adopts the running one, and waits
    /// until it takes connections.
    public static func start(
        _ configuration: Configuration
    ) throws(ClusterError) -> PrivateCluster {
        let cluster = try PrivateCluster(configuration)
        try cluster.changing { () throws(ClusterError) in
            try cluster.users.lockShared()
            try cluster.initializeIfNeeded()
            _ = try cluster.ensureRunning()
            try cluster.createDatabaseIfNeeded()
        }
        return cluster
    }

    private init(_ configuration: Configuration) throws(ClusterError) {
        self.configuration = configuration
        account = try ClusterAccount.choose(for: configuration.folder)
        // Before anything is written: without programs nothing is left behind.
        programs = try ServerPrograms.find(
            in: configuration.programPlaces,
            version: ClusterFolders(root: configuration.folder).dataVersion,
            account: account
        )
        folders = try ClusterFolders.prepare(configuration.folder, for: account)
        users = try ClusterLock(folders.usersLock, account: account)
    }

    /// Looks whether a cluster can be had in a folder; starts and changes nothing.
    /// - Parameter configuration: where, and where PostgreSQL's programs are looked for.
    /// - Returns: the major version of the programs that it would run, and whether it has data.
    /// - Throws: `ClusterError` where there are no programs for it, or it is another user's.
    public static func look(
        at configuration: Configuration
    ) throws(ClusterError) -> (version: Int, hasData: Bool) {
        let account = try ClusterAccount.choose(for: configuration.folder)
        let dataVersion = ClusterFolders(root: configuration.folder).dataVersion
        let programs = try ServerPrograms.find(
            in: configuration.programPlaces,
            version: dataVersion,
            account: account
        )
        return (programs.version, dataVersion != nil)
    }

    /// The way to the cluster's database.
    public var database: PostgresConfiguration { database(named: Self.databaseName) }

    /// The way to the database `name` of this cluster.
    public func database(named name: String) -> PostgresConfiguration {
        let socketFolder = Postmaster.running(in: folders.data)?.socketFolder
        return PostgresConfiguration(
            socketFolder: socketFolder ?? folders.expectedSocketFolder,
            user: Self.databaseName,
            database: name
        )
    }

    /// The server's process, or nil where it does not run.
    public var serverProcess: Int32? { Postmaster.running(in: folders.data)?.process }

    /// Starts the server again where it has died; for a supervisor to call now and then. It may
    /// come back under another socket folder only if the old one was removed.
    /// - Returns: whether it had to be started.
    @discardableResult
    public func restartIfDead() throws(ClusterError) -> Bool {
        if Postmaster.running(in: folders.data) != nil { return false }
        return try changing { () throws(ClusterError) in try ensureRunning() }
    }

    /// Ends this process' use of the cluster; the last to leave stops the server and waits for its
    /// end. Further calls do nothing.
    public func release() throws(ClusterError) {
        try changing { () throws(ClusterError) in
            guard users.tryLockExclusive() else { return }
            defer { users.unlock() }
            guard let postmaster = Postmaster.running(in: folders.data) else { return }
            guard postmaster.stop(deadline: configuration.stopDeadline) else {
                throw .deadlineExceeded(waitingFor: "stop", logFolder: folders.log)
            }
        }
    }

    /// Runs `body` while nobody else starts or stops this cluster.
    private func changing<Result>(
        _ body: () throws(ClusterError) -> Result
    ) throws(ClusterError) -> Result {
        let lock = try ClusterLock(folders.changeLock, account: account)
        try lock.lockExclusive()
        defer { lock.unlock() }
        return try body()
    }
}
