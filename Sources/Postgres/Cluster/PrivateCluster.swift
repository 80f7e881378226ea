// The default database: a private PostgreSQL in the data directory, reachable only through a Unix
// socket. All calls block; do not use them on the loop.
//
// Several processes may use one cluster (`stoa user add` beside `stoa serve`). Each holds a shared
// lock; the last one to release it stops the server. A process that crashes leaves the server
// running, and the next one adopts it.

import Glibc
import Synchronization

/// A private PostgreSQL cluster that this process uses.
public final class PrivateCluster: Sendable {
    /// The name of the cluster's superuser, and of the database that `start` creates.
    public static let databaseName = "stoa"

    /// The configuration of a cluster.
    public struct Configuration: Sendable {
        /// The folder for the cluster's files; created if it is missing.
        public var folder: String
        /// Where to find PostgreSQL's programs.
        public var programPlaces: ProgramPlaces = .usual
        /// Server settings for this start, over those in `postgresql.conf`.
        public var settings: [String: String] = [:]
        /// Where the server archives its WAL; nil for nowhere.
        public var archive: WALArchive?
        /// The memory of the machine or the container in bytes, for the size of the buffers; nil for
        /// the machine's.
        public var memory: Int64?
        /// For tests: new files are not synced to disk.
        package var isThrowaway = false
        /// Timeout of a start. Long, because after a crash the server first replays its WAL.
        public var startDeadline: Duration = .seconds(300)
        /// Timeout of a fast shutdown before the server is killed.
        public var stopDeadline: Duration = .seconds(60)

        /// The default configuration, in `folder`.
        public init(folder: String) { self.folder = folder }
    }

    let configuration: Configuration
    let account: ClusterAccount
    let folders: ClusterFolders
    let programs: ServerPrograms
    private let users: ClusterLock
    /// The server that was started here, until it has been reaped.
    let child = Mutex<pid_t?>(nil)

    /// Initializes the cluster on first use, starts its server or adopts the running one, and waits
    /// until it accepts connections.
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
        // Before anything is written, so that nothing is left behind if there are no programs.
        programs = try ServerPrograms.find(
            in: configuration.programPlaces,
            version: ClusterFolders(root: configuration.folder).dataVersion,
            account: account
        )
        folders = try ClusterFolders.prepare(configuration.folder, for: account)
        users = try ClusterLock(folders.usersLock, account: account)
    }

    /// Checks whether a cluster can be used in a folder, without starting or changing anything.
    /// - Parameter configuration: the folder, and where to find PostgreSQL's programs.
    /// - Returns: the major version of its programs, and whether it has data.
    /// - Throws: `ClusterError` if there are no programs for it, or it belongs to another user.
    public static func inspect(
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

    /// The connection settings of the cluster's database.
    public var database: PostgresConfiguration { database(named: Self.databaseName) }

    /// The connection settings of the database `name` of this cluster.
    public func database(named name: String) -> PostgresConfiguration {
        let socketFolder = Postmaster.running(in: folders.data)?.socketFolder
        return PostgresConfiguration(
            socketFolder: socketFolder ?? folders.expectedSocketFolder,
            user: Self.databaseName,
            database: name
        )
    }

    /// The process id of the server, or nil if it is not running.
    public var serverProcess: Int32? { Postmaster.running(in: folders.data)?.process }

    /// Restarts the server if it has died; a supervisor calls it periodically. The socket folder
    /// may change only if the old one was removed.
    /// - Returns: whether it was restarted.
    @discardableResult
    public func restartIfDead() throws(ClusterError) -> Bool {
        if Postmaster.running(in: folders.data) != nil { return false }
        return try changing { () throws(ClusterError) in try ensureRunning() }
    }

    /// Ends this process' use of the cluster; the last process stops the server and waits for its
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

    /// Runs `body` with the change lock, so that no other process starts or stops this cluster.
    private func changing<Result>(
        _ body: () throws(ClusterError) -> Result
    ) throws(ClusterError) -> Result {
        let lock = try ClusterLock(folders.changeLock, account: account)
        try lock.lockExclusive()
        defer { lock.unlock() }
        return try body()
    }
}
