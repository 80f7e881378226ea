// The running server of a data directory, from its `postmaster.pid`.

import CPostgres
import FoundationEssentials
import Glibc

/// A postmaster: PostgreSQL's first process, which starts all others.
struct Postmaster: Sendable, Equatable {
    let process: pid_t
    let socketFolder: String

    /// Reads `postmaster.pid`: the process in line 1, the socket's folder in line 5.
    init?(pidFile text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, let process = pid_t(lines[0]), process > 1 else { return nil }
        self.process = process
        socketFolder = String(lines[4])
    }

    /// A newly started postmaster.
    init(process: pid_t, socketFolder: String) {
        self.process = process
        self.socketFolder = socketFolder
    }

    /// The postmaster recorded in `data`, running or not.
    static func recorded(in data: String) -> Postmaster? {
        textOfFile("\(data)/postmaster.pid").flatMap(Postmaster.init(pidFile:))
    }

    /// The running postmaster of `data`, or nil. A file left by a crash may have the id of an
    /// unrelated process, so its working directory is checked too.
    static func running(in data: String) -> Postmaster? {
        guard let postmaster = recorded(in: data), postmaster.isAlive,
            workingFolder(of: postmaster.process) == canonicalPath(data)
        else { return nil }
        return postmaster
    }

    /// Whether the process is running. Reaps it if it was our child.
    var isAlive: Bool {
        var status: Int32 = 0
        if waitpid(process, &status, WNOHANG) == process { return false }
        return kill(process, 0) == 0 || errno == EPERM
    }

    /// Whether it accepts connections. Blocks for at most a second or two.
    var acceptsConnections: Bool { Self.acceptsConnections(in: socketFolder) }

    /// Whether a server accepts connections at the socket in a folder. Blocks for at most a second
    /// or two.
    static func acceptsConnections(in socketFolder: String) -> Bool {
        // With a user that exists, so that the server's log has no failed connections.
        let name = PrivateCluster.databaseName
        let parameters = [
            "host": socketFolder, "port": "5432", "user": name, "dbname": "postgres",
            "connect_timeout": "2",
        ]
        return withConnectionParameters(parameters) { keywords, values in
            PQpingParams(keywords, values, 0) == PQPING_OK
        }
    }

    /// Ends the server: fast shutdown (open transactions are rolled back), then the hard way.
    /// - Returns: false if it is still running.
    func stop(deadline: Duration) -> Bool {
        kill(process, SIGINT)
        if waitForEnd(deadline) { return true }
        kill(process, SIGQUIT)
        if waitForEnd(.seconds(5)) { return true }
        kill(process, SIGKILL)
        return waitForEnd(.seconds(5))
    }

    private func waitForEnd(_ duration: Duration) -> Bool {
        let deadline = ContinuousClock.now + duration
        while isAlive {
            guard ContinuousClock.now < deadline else { return false }
            pause(.milliseconds(20))
        }
        return true
    }

    /// Whether any process of a server of `data` is running, even without its postmaster. All have
    /// the data directory as their working directory.
    static func hasProcesses(in data: String) -> Bool {
        guard let folder = canonicalPath(data),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
        else { return false }
        return names.contains { pid_t($0).map { workingFolder(of: $0) == folder } ?? false }
    }

    private static func workingFolder(of process: pid_t) -> String? {
        canonicalPath("/proc/\(process)/cwd")
    }
}

/// `path` without symbolic links, or nil if it does not exist or is not accessible.
func canonicalPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}
