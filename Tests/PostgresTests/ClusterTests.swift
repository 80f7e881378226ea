import FoundationEssentials
import Glibc
import Postgres
import TestSupport
import Testing

/// Tests of the private cluster, each with its own clusters.
@Suite("Private cluster")
struct ClusterTests {
    /// A folder for a cluster, in one that PostgreSQL's user may enter.
    final class Fixture: Sendable {
        let root: String
        let folder: String

        init(depth: Int = 0) throws {
            try Requirement.database.check()
            root = "/tmp/stoa-cluster-\(UUID().uuidString.lowercased())"
            folder = root + String(repeating: "/a-rather-long-name-of-a-folder", count: depth)
            try TestClusterWatchdog.start(folder: folder)
        }

        var configuration: PrivateCluster.Configuration {
            var configuration = PrivateCluster.Configuration(folder: folder)
            configuration.isThrowaway = true
            configuration.settings = ["fsync": "off", "max_connections": "20"]
            return configuration
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }
    }

    @Test("a cluster is created, serves its database, and recovers after a stop and a crash")
    func lifetime() throws {
        let fixture = try Fixture()
        let first = try PrivateCluster.start(fixture.configuration)
        #expect(try count(first) == 1)
        try BlockingConnection(first.database).run("CREATE TABLE kept (n int)")

        // A second user neither starts nor stops anything.
        let second = try PrivateCluster.start(fixture.configuration)
        let process = try #require(first.serverProcess)
        #expect(second.serverProcess == process)
        try second.release()
        #expect(first.serverProcess == process)

        // The last user stops the server.
        try first.release()
        #expect(first.serverProcess == nil)
        try first.release()

        let third = try PrivateCluster.start(fixture.configuration)
        try BlockingConnection(third.database).run("INSERT INTO kept VALUES (1)")
        #expect(try third.restartIfDead() == false)

        // The server is killed and loses its memory; committed rows must be there after the
        // restart.
        let victim = try #require(third.serverProcess)
        kill(victim, SIGKILL)
        while third.serverProcess == victim { sched_yield() }
        #expect(try third.restartIfDead())
        #expect(third.serverProcess != victim)
        let rows = try BlockingConnection(third.database).query("SELECT count(*) FROM kept")
        #expect(try rows[0].decode(as: Int.self) == 1)
        try third.release()
    }

    @Test("a stale process id that another process now has does not prevent a start")
    func takenNumber() throws {
        let (fixture, otherFixture) = (try Fixture(), try Fixture())
        let cluster = try PrivateCluster.start(fixture.configuration)
        // A process of the same user: PostgreSQL ignores ids of other users anyway.
        let other = try PrivateCluster.start(otherFixture.configuration)
        let taken = try #require(other.serverProcess)

        let victim = try #require(cluster.serverProcess)
        let files = ["data/postmaster.pid", "socket/.s.PGSQL.5432.lock"].map {
            URL(filePath: "\(fixture.folder)/\($0)")
        }
        let lines = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        kill(victim, SIGKILL)
        while cluster.serverProcess == victim { sched_yield() }
        for (file, text) in zip(files, lines) {
            let rest = text.drop { $0 != "\n" }
            #expect(text.hasPrefix("\(victim)\n"))
            // In fixture, so that the file keeps its owner.
            let handle = try #require(fopen(file.path(), "w"))
            fputs("\(taken)\(rest)", handle)
            fclose(handle)
        }

        #expect(try cluster.restartIfDead())
        #expect(try count(cluster) == 1)
        #expect(isCollected(victim))
        #expect(other.serverProcess == taken)
        try cluster.release()
        try other.release()
    }

    @Test("a server that was shut down from outside is reaped and restarted")
    func shutDown() throws {
        let fixture = try Fixture()
        let cluster = try PrivateCluster.start(fixture.configuration)
        let process = try #require(cluster.serverProcess)
        // It removes its files when it ends, so no file names it any more.
        kill(process, SIGINT)
        while cluster.serverProcess != nil { sched_yield() }
        #expect(try cluster.restartIfDead())
        #expect(isCollected(process))
        #expect(try count(cluster) == 1)
        try cluster.release()
    }

    @Test("a running server of an ended process is adopted")
    func adoption() throws {
        let fixture = try Fixture()
        var left: PrivateCluster? = try PrivateCluster.start(fixture.configuration)
        let process = try #require(left?.serverProcess)
        // Without `release`, as if the process was killed: the locks are released, the server runs
        // on.
        left = nil
        let next = try PrivateCluster.start(fixture.configuration)
        #expect(next.serverProcess == process)
        try next.release()
        #expect(next.serverProcess == nil)
    }

    @Test("a data directory whose path is too long for a socket works")
    func longPath() throws {
        let fixture = try Fixture(depth: 4)
        let cluster = try PrivateCluster.start(fixture.configuration)
        #expect(try count(cluster) == 1)
        try cluster.release()
        let again = try PrivateCluster.start(fixture.configuration)
        #expect(try count(again) == 1)
        try again.release()
        let record = try Data(contentsOf: URL(filePath: "\(fixture.folder)/socket-folder"))
        try FileManager.default.removeItem(atPath: String(decoding: record, as: UTF8.self))
    }

    @Test("PostgreSQL does not listen on the network and is private to its user")
    func privacy() throws {
        let fixture = try Fixture()
        let cluster = try PrivateCluster.start(fixture.configuration)
        let connection = try BlockingConnection(cluster.database)
        for (setting, expected) in [
            ("listen_addresses", ""), ("unix_socket_permissions", "0700"),
            ("data_checksums", "on"), ("server_encoding", "UTF8"), ("synchronous_commit", "on"),
        ] {
            let rows = try connection.query("SELECT current_setting($1)", [.text(setting)])
            #expect(try rows[0].decode(as: String.self) == expected)
        }
        var information = stat()
        stat("\(fixture.folder)/socket", &information)
        #expect(information.st_mode & 0o777 == 0o700)
        try cluster.release()
    }

    @Test("missing programs are an error that says what to install, and nothing is left behind")
    func missingPrograms() throws {
        let fixture = try Fixture()
        var configuration = fixture.configuration
        configuration.programPlaces = ProgramPlaces(patterns: ["/nowhere/*/bin", "/tmp"])
        let error = #expect(throws: ClusterError.self) {
            try PrivateCluster.start(configuration)
        }
        #expect("\(try #require(error))".contains("apt-get install postgresql"))
        #expect(!FileManager.default.fileExists(atPath: fixture.folder))
    }

    @Test("data of another major version asks for its programs")
    func otherVersion() throws {
        let fixture = try Fixture()
        let data = "\(fixture.folder)/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try Data("9\n".utf8).write(to: URL(filePath: "\(data)/PG_VERSION"))
        let error = #expect(throws: ClusterError.self) {
            try PrivateCluster.start(fixture.configuration)
        }
        #expect("\(try #require(error))".contains("apt-get install postgresql-9"))
    }

    @Test(
        "a folder that PostgreSQL's user cannot enter is reported",
        .enabled(if: getuid() == 0, "only root drops privileges")
    )
    func unreachable() throws {
        let fixture = try Fixture()
        mkdir(fixture.folder, 0o700)
        var configuration = fixture.configuration
        configuration.folder = "\(fixture.folder)/inside"
        let error = #expect(throws: ClusterError.self) {
            try PrivateCluster.start(configuration)
        }
        guard case .folderUnreachable = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test("a server that refuses to start is an error with its output")
    func refusal() throws {
        let fixture = try Fixture()
        var configuration = fixture.configuration
        configuration.settings["shared_buffers"] = "nonsense"
        let error = #expect(throws: ClusterError.self) {
            try PrivateCluster.start(configuration)
        }
        #expect("\(try #require(error))".contains("shared_buffers"))
    }

    /// Whether a child has ended and was reaped. (A zombie would keep Swift Testing from seeing the
    /// end of exit tests.)
    private func isCollected(_ process: pid_t) -> Bool {
        waitpid(process, nil, WNOHANG) == -1 && errno == ECHILD
    }

    private func count(_ cluster: PrivateCluster) throws -> Int {
        try BlockingConnection(cluster.database).query("SELECT 1").count
    }
}
