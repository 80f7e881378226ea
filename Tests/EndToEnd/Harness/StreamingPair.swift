// Two PostgreSQL servers: a primary, and a synchronous standby that can be promoted.

import FoundationEssentials
import Glibc
import Postgres
import TestSupport

/// A primary and its standby. Both end with this object.
final class StreamingPair {
    /// What happens to the primary before the standby is promoted.
    enum Loss: CaseIterable {
        /// Its processes stop, as on a machine without power to compute: connections stay open.
        case frozen
        /// It refuses to write, as after a switchover.
        case readOnly
        /// Its processes are killed.
        case killed
    }

    private let primary: PrivateCluster
    private let standby: PrivateCluster
    private let primaryData: String

    /// The database's URL, with both servers.
    let url: String

    /// Starts both, and waits until the standby is synchronous.
    init() throws {
        try Requirement.database.check()
        let name = "/tmp/stoa-pair-\(UUID().uuidString.lowercased())"
        let folders = ["\(name)-a", "\(name)-b"]
        for folder in folders { try TestClusterWatchdog.start(folder: folder) }
        let configurations = folders.map { folder in
            var configuration = PrivateCluster.Configuration(folder: folder)
            configuration.isThrowaway = true
            configuration.settings = ["fsync": "off", "shared_buffers": "32MB"]
            return configuration
        }
        // The standby begins as a copy of a primary that is stopped.
        let original = try PrivateCluster.start(configurations[0])
        try original.release()
        primaryData = "\(folders[0])/data"
        try FileManager.default.createDirectory(
            atPath: folders[1],
            withIntermediateDirectories: true
        )
        let copy = try Program(
            "/bin/cp",
            ["-a", primaryData, "\(folders[1])/data"],
            errorPath: "\(name)-a/copy.log"
        )
        guard try copy.end().end == .exited(0) else { throw HarnessError(copy.errorOutput) }
        primary = try PrivateCluster.start(configurations[0])
        let socket = primary.database.socketFolder
        let settings = "primary_conninfo = 'host=\(socket) port=5432 user=stoa'\n"
        let data = "\(folders[1])/data"
        // The copied files belong to PostgreSQL's user, and are written in place.
        guard let file = fopen("\(data)/postgresql.auto.conf", "a") else {
            throw HarnessError("no postgresql.auto.conf")
        }
        fputs(settings, file)
        fclose(file)
        guard FileManager.default.createFile(atPath: "\(data)/standby.signal", contents: nil)
        else { throw HarnessError("no standby.signal") }
        standby = try PrivateCluster.start(configurations[1])
        url = """
            host=\(socket),\(standby.database.socketFolder) port=5432 user=stoa dbname=stoa \
            target_session_attrs=read-write
            """
        let connection = try BlockingConnection(primary.database)
        try connection.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        _ = try connection.query("SELECT pg_reload_conf()")
        try eventually("a synchronous standby") {
            let rows = try? connection.query(
                "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            )
            return (try? rows?.first?.decode(as: Int64.self)) == 1
        }
    }

    deinit {
        signalPrimary(SIGCONT)
        for cluster in [standby, primary] { try? cluster.release() }
    }

    /// Takes the primary away, and promotes the standby.
    func failOver(_ loss: Loss) throws {
        switch loss {
        case .frozen: signalPrimary(SIGSTOP)
        case .killed: signalPrimary(SIGKILL)
        case .readOnly:
            let connection = try BlockingConnection(primary.database)
            try connection.run("ALTER SYSTEM SET default_transaction_read_only = on")
            _ = try connection.query("SELECT pg_reload_conf()")
        }
        _ = try BlockingConnection(standby.database).query("SELECT pg_promote()")
    }

    /// Texts of messages in the promoted standby.
    func texts() throws -> [String] {
        try BlockingConnection(standby.database)
            .query("SELECT body FROM messages WHERE role = 'user' ORDER BY id")
            .map { try $0.decode("body", as: String.self) }
    }

    /// Signals all processes of the primary: they have its data as their working directory.
    private func signalPrimary(_ signal: Int32) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap(pid_t.init) {
            let folder = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/cwd"
            )
            if folder == primaryData { kill(process, signal) }
        }
    }
}

extension PostgresConfiguration {
    /// The folder of the server's Unix socket.
    fileprivate var socketFolder: String { parameters["host"] ?? "" }
}
