import EventLoop
import FoundationEssentials
import Glibc
import Logging
import Postgres
import TestSupport
import Testing

/// PostgreSQL becomes unavailable and recovers.
@Suite("Reconnecting", .timeLimit(.minutes(3)))
struct ReconnectTests {
    @Test("connections that the server terminated are reopened")
    func terminated() async throws {
        try await withPool { loop, pool, database in
            _ = try await pool.query("SELECT 1")
            for _ in 0..<5 {
                try database.terminateConnections()
                // Statements that were pending may fail; later ones work.
                _ = try? await pool.query("SELECT 1")
                #expect(try await retrying { try await pool.query("SELECT 2").count } == 1)
            }
        }
    }

    @Test("statements wait for a killed server, and all acknowledged rows are stored")
    func killed() async throws {
        try Requirement.database.check()
        let folder = "/tmp/stoa-cluster-\(UUID().uuidString.lowercased())"
        try TestClusterWatchdog.start(folder: folder)
        let cluster = try PrivateCluster.start(PrivateCluster.Configuration(folder: folder))
        try BlockingConnection(cluster.database).run("CREATE TABLE numbers (n int8 PRIMARY KEY)")
        var configuration = cluster.database
        configuration.connectionCount = 2
        configuration.waitDeadline = .seconds(30)
        configuration.reconnectPause = .milliseconds(1)...(.milliseconds(50))
        let chosen = configuration

        let acknowledged = try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: chosen,
                logger: silentLogger
            )
            let results = Results()
            pool.onStateChange = { results.texts.append($0 ? "ready" : "away") }
            let writer = loop.spawn {
                for number in 0..<2000 {
                    let isStored = try? await pool.query(
                        "INSERT INTO numbers VALUES ($1)",
                        [.integer(number)]
                    )
                    if isStored != nil { results.sum += 1 }
                    if number == 500, let process = cluster.serverProcess {
                        kill(process, SIGKILL)
                        Self.restart(cluster)
                    }
                }
            }
            await writer.wait()
            await pool.close()
            #expect(results.texts == ["ready", "away", "ready"])
            return results.sum
        }
        // At most the statements pending at the time of the kill were not acknowledged.
        #expect(acknowledged >= 1998)
        let rows = try BlockingConnection(cluster.database).query("SELECT count(*) FROM numbers")
        #expect(try rows[0].decode(as: Int.self) >= acknowledged)
        try cluster.release()
    }

    @Test("without a server statements fail as unavailable within the timeout")
    func absent() async throws {
        var configuration = PostgresConfiguration(
            socketFolder: "/nowhere",
            user: "nobody",
            database: "none"
        )
        configuration.waitDeadline = .milliseconds(30)
        configuration.connectionCount = 2
        let chosen = configuration
        try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: chosen,
                logger: silentLogger
            )
            for _ in 0..<2 {
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.query("SELECT 1")
                }
                guard case .unavailable = error else {
                    Issue.record("got \(String(describing: error))")
                    break
                }
            }
            #expect(!pool.isReady)
            await pool.close()
        }
    }

    @Test("a listener receives notifications, and reports interruptions")
    func listener() async throws {
        try await withPool { loop, pool, database in
            let heard = Results()
            var configuration = database.configuration
            configuration.reconnectPause = .milliseconds(1)...(.milliseconds(50))
            let listener = PostgresListener(
                loop: loop,
                configuration: configuration,
                channels: ["news", "Odd \"name\""]
            ) { event in
                switch event {
                case .listening: heard.texts.append("listening")
                case .away: heard.texts.append("away")
                case .notification(let notification):
                    heard.texts.append("\(notification.channel): \(notification.payload)")
                }
            }
            func receives(_ count: Int) async throws {
                for _ in 0..<5000 where heard.texts.count < count {
                    try await loop.sleep(for: .milliseconds(1))
                }
            }
            try await receives(1)
            _ = try await pool.query("SELECT pg_notify('news', 'one')")
            _ = try await pool.query("SELECT pg_notify('Odd \"name\"', '')")
            _ = try await pool.query("SELECT pg_notify('other', 'unheard')")
            try await receives(3)
            try database.terminateConnections()
            try await receives(5)
            _ = try await retrying { try await pool.query("SELECT pg_notify('news', 'two')") }
            try await receives(6)
            await listener.stop()
            #expect(
                heard.texts == [
                    "listening", "news: one", "Odd \"name\": ", "away", "listening", "news: two",
                ]
            )
        }
    }

    /// Restarts on a separate thread: the cluster's calls block.
    private static func restart(_ cluster: PrivateCluster) {
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                let cluster = Unmanaged<PrivateCluster>.fromOpaque(argument).takeRetainedValue()
                // A killed process needs a moment to end.
                do { while try !cluster.restartIfDead() { usleep(1000) } } catch {
                    Issue.record(error)
                }
                return nil
            },
            Unmanaged.passRetained(cluster).toOpaque()
        )
        pthread_detach(thread)
    }
}

/// Retries an operation that lost its connection.
func retrying<Success>(_ body: () async throws -> Success) async throws -> Success {
    for _ in 0..<20 {
        do { return try await body() } catch PostgresError.connectionLost {}
    }
    return try await body()
}
