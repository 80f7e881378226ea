// The system under test: a PostgreSQL cluster and its servers, in a temporary folder. All functions
// block: call them off the event loop.

import CLinux
import Digests
import Doubles
import FoundationEssentials
import Glibc
import Postgres
import Synchronization

/// A PostgreSQL cluster and some `stoa serve` processes.
final class Installation: Sendable {
    /// The settings of the servers.
    struct Settings: Sendable {
        var nodes = 1
        var engines = 0
        var leaseSeconds = 3
        var slots = 8
        var threads = 1
        var database = DatabaseKind.private
        /// Whether PostgreSQL waits for the disk.
        var synchronizes = false
    }

    let folder: String
    let settings: Settings
    /// The one PostgreSQL server; nil if there are several.
    private let cluster: PrivateCluster?
    private let patroni: PatroniCluster?
    private let program: String
    private let nodes: Mutex<[ChildProgram?]>
    /// Engines on this machine that pass for remote ones, for all servers.
    let engines: [FaultyEngine]
    private let watchdog: Int32

    /// Starts PostgreSQL. However this process ends, it leaves nothing behind except what it was
    /// told to keep.
    init(_ settings: Settings, seed: UInt64) throws {
        self.settings = settings
        engines = try (0..<settings.engines).map { try FaultyEngine(seed: seed, index: $0) }
        folder = "/tmp/stoa-chaos-\(UUID().uuidString.lowercased().prefix(8))"
        guard mkdir(folder, 0o755) == 0 else { throw ChaosError("no folder \(folder)") }
        chmod(folder, 0o755)
        watchdog = try Self.startWatchdog(folder)
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        program = own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/stoa"
        guard access(program, X_OK) == 0 else { throw ChaosError("build \(program) first") }
        nodes = Mutex(Array(repeating: nil, count: settings.nodes))
        guard settings.database != .patroni else {
            cluster = nil
            patroni = try PatroniCluster(folder: folder)
            return
        }
        patroni = nil
        var configuration = PrivateCluster.Configuration(folder: "\(folder)/postgres")
        // A killed process loses nothing that it wrote to the kernel, so fsync is not needed.
        // Acknowledged commits are written before (synchronous_commit stays on).
        configuration.isThrowaway = true
        configuration.settings = [
            "fsync": settings.synchronizes ? "on" : "off", "max_connections": "200",
            "shared_buffers": "128MB",
            "restart_after_crash": "on",
        ]
        if settings.database == .power {
            // Its files move while it is stopped.
            try PrivateCluster.start(configuration).release()
            try Self.disk("up", folder)
        }
        cluster = try PrivateCluster.start(configuration)
    }

    deinit {
        for engine in engines { engine.stop() }
        nodes.withLock { nodes in
            for index in nodes.indices { nodes[index] = nil }
        }
        try? cluster?.release()
        if settings.database == .power { try? Self.disk("down", folder) }
        // Closing it makes the watchdog end; that removes the folder.
        close(watchdog)
    }

    /// The database's URL, as a setting.
    var databaseURL: String {
        if let patroni { return patroni.url }
        let socket = cluster?.database.parameters["host"] ?? ""
        return "host=\(socket) port=5432 user=stoa dbname=stoa"
    }

    /// A connection for inspecting the database.
    func connect() throws -> BlockingConnection {
        try BlockingConnection(PostgresConfiguration(connectionString: databaseURL))
    }

    // MARK: Servers

    /// Starts a server; retries while PostgreSQL is down.
    /// - Returns: its port.
    func startNode(_ index: Int) throws -> UInt16 {
        for _ in 0..<100 {
            let node = try ChildProgram(
                [
                    program, "serve", "--host", "127.0.0.1", "--port", "0",
                    "--data-dir", "\(folder)/node-\(index)", "--database-url", databaseURL,
                    "--lease-seconds", "\(settings.leaseSeconds)", "--slots", "\(settings.slots)",
                    "--threads", "\(settings.threads)", "--queue-limit", "100000",
                    "--questions-per-minute", "0",
                    "--log-level", "info", "--drain-seconds", "2", "--system-prompt", "Be brief.",
                    // A title would be an event after the readers have left.
                    "--titles", "off",
                ] + engines.flatMap { ["--remote-engine", $0.setting] },
                errors: "\(folder)/node-\(index).log"
            )
            try Data("\(node.process)\n".utf8).write(
                to: URL(filePath: "\(folder)/node-\(index).process")
            )
            nodes.withLock { $0[index] = node }
            if let line = node.line(beginningWith: "ready http://", within: 20),
                let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
            {
                return port
            }
            node.send(SIGKILL)
            _ = node.wait()
            usleep(100_000)
        }
        throw ChaosError("node \(index) does not start: \(log(of: index))")
    }

    /// Kills a server with SIGKILL.
    func killNode(_ index: Int) {
        let node = nodes.withLock { $0[index] }
        node?.send(SIGKILL)
        _ = node?.wait()
    }

    /// Stops a server with SIGTERM.
    /// - Returns: its exit status.
    func stopNode(_ index: Int) -> Int32 {
        guard let node = nodes.withLock({ $0[index] }) else { return 0 }
        node.send(SIGTERM)
        defer { unlink("\(folder)/node-\(index).process") }
        return node.wait()
    }

    /// The end of a server's log.
    func log(of index: Int) -> String {
        let data = try? Data(contentsOf: URL(filePath: "\(folder)/node-\(index).log"))
        return String(decoding: data?.suffix(2000) ?? Data(), as: UTF8.self)
    }

    /// Adds users with open sign-ins, which avoids the cost of password hashing.
    /// - Returns: their tokens.
    func addUsers(_ names: [String]) throws -> [String] {
        let database = try connect()
        return try names.map { name in
            let token = SHA256.digest(of: "token of \(name)").hexadecimal
            _ = try database.query(
                """
                WITH added AS (
                    INSERT INTO users (id, name, password_hash)
                    VALUES (gen_random_uuid(), $1, 'nobody can sign in with this') RETURNING id
                )
                INSERT INTO sessions (id, user_id, token_hash, expires_at)
                SELECT gen_random_uuid(), id, $2, now() + interval '7 days' FROM added
                """,
                [.text(name), .bytes(SHA256.digest(of: token).bytes)]
            )
            return token
        }
    }

    // MARK: PostgreSQL

    /// Kills PostgreSQL.
    func killPostgres(_ how: KillPlan.PostgresKill) throws {
        if settings.database == .power { return try Self.disk("cut", folder) }
        guard let cluster, let process = cluster.serverProcess else { return }
        Glibc.kill(process, how == .kill ? SIGKILL : SIGQUIT)
        while kill(process, 0) == 0, cluster.serverProcess == process { usleep(5000) }
        if settings.synchronizes { Self.dropPageCache() }
    }

    /// Does something with the disk that loses power.
    private static func disk(_ verb: String, _ folder: String) throws {
        let program = try ChildProgram(
            ["/usr/bin/python3", "Benchmarks/Chaos/disk.py", verb, folder],
            errors: "\(folder)/disk.log"
        )
        guard program.wait() == 0 else { throw ChaosError("disk.py: see \(folder)/disk.log") }
    }

    /// Makes recovery read from the disk what is not waiting to be written to it. Root may; others
    /// keep the cache.
    private static func dropPageCache() {
        guard let file = fopen("/proc/sys/vm/drop_caches", "w") else { return }
        fputs("3\n", file)
        fclose(file)
    }

    /// Lets the primary of several servers fail, and waits until all are healthy again.
    /// - Returns: what was seen, on one line.
    func perform(_ failover: KillPlan.Failover) throws -> String {
        try patroni?.perform(failover) ?? ""
    }

    /// Starts PostgreSQL again, and waits until it accepts connections.
    func restartPostgres() throws {
        var failure: (any Error)?
        for _ in 0..<50 {
            do {
                try cluster?.restartIfDead()
                return
            } catch {
                failure = error
                usleep(200_000)
            }
        }
        if let failure { throw failure }
    }

    // MARK: Cleanup

    /// Starts a shell that waits for the end of this process, and then ends the processes that it
    /// started.
    /// - Returns: the descriptor whose closing ends the wait.
    private static func startWatchdog(_ folder: String) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard stoa_pipe(&ends) == 0 else { throw ChaosError("pipe: errno \(errno)") }
        defer { close(ends[0]) }
        let script = """
            cat >/dev/null
            cd /tmp
            for file in "$0"/*.process; do
                read -r process <"$file" && kill -9 "$process"
            done 2>/dev/null
            process=$(head -n 1 "$0/postgres/data/postmaster.pid" 2>/dev/null)
            [ -n "$process" ] && kill -QUIT "$process" 2>/dev/null
            tries=0
            while [ -n "$process" ] && kill -0 "$process" 2>/dev/null && [ $tries -lt 100 ]; do
                sleep 0.05
                tries=$((tries + 1))
            done
            [ -e "$0/etcd.process" ] && python3 "$1" down "$0" 2>/dev/null
            [ -e "$0/keep" ] || rm -rf "$0"
            """
        let patroni = FileManager.default.currentDirectoryPath + "/" + PatroniCluster.script
        _ = try ChildProgram.spawn(["/bin/sh", "-c", script, folder, patroni]) { actions in
            posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
            // The shell must not keep this process' output open.
            for descriptor in [Int32(1), 2] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
        }
        return ends[1]
    }

    /// Keeps the folder.
    func keepFolder() {
        _ = FileManager.default.createFile(atPath: "\(folder)/keep", contents: nil)
    }
}
