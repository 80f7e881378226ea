import EventLoop
import Logging
import Postgres
import TestSupport
import Testing

/// A logger without output.
let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Runs `body` on a loop with a pool for a new database.
func withPool<Success: Sendable>(
    _ change: @Sendable (inout PostgresConfiguration) -> Void = { _ in },
    schema: String = "",
    _ body: @escaping @Sendable (EventLoop, PostgresPool, TestDatabase) async throws -> Success
) async throws -> Success {
    let database = try TestCluster.database()
    if !schema.isEmpty { try database.run(schema) }
    var configuration = database.configuration
    configuration.connectionCount = 3
    configuration.reconnectPause = .milliseconds(1)...(.milliseconds(50))
    change(&configuration)
    let chosen = configuration
    return try await EventLoop.run { loop in
        let pool = PostgresPool(
            loop: loop,
            configuration: chosen,
            logger: silentLogger
        )
        let result: Result<Success, any Error>
        do { result = .success(try await body(loop, pool, database)) } catch {
            result = .failure(error)
        }
        await pool.close()
        return try result.get()
    }
}

/// Single statements and the pool's limits.
@Suite("Pool")
struct PoolTests {
    @Test("a thousand concurrent statements all get their own result")
    func thousand() async throws {
        let sum = try await withPool { loop, pool, _ in
            var tasks: [LoopTask] = []
            let results = Results()
            for number in 0..<1000 {
                tasks.append(
                    loop.spawn {
                        let rows = try? await pool.query(
                            "SELECT $1::int8 * 2 AS twice",
                            [.integer(number)]
                        )
                        let twice = try? rows?.first?.decode("twice", as: Int.self)
                        if twice == number * 2 { results.sum += 1 }
                    }
                )
            }
            for task in tasks { await task.wait() }
            return results.sum
        }
        #expect(sum == 1000)
    }

    @Test("a failed statement does not affect concurrent ones")
    func neighbours() async throws {
        try await withPool({ $0.connectionCount = 1 }) { loop, pool, _ in
            let results = Results()
            var tasks: [LoopTask] = []
            for number in 0..<100 {
                tasks.append(
                    loop.spawn {
                        do {
                            let rows = try await pool.query(
                                "SELECT 10 / $1::int8",
                                [.integer(number % 2)]
                            )
                            if try rows[0].decode(as: Int.self) == 10 { results.sum += 1 }
                        } catch {
                            let state = (error as? PostgresError)?.sqlState?.rawValue
                            if state == "22012" { results.failures += 1 }
                        }
                    }
                )
            }
            for task in tasks { await task.wait() }
            #expect(results.sum == 50)
            #expect(results.failures == 50)
        }
    }

    @Test("an error of the commit is an error of the statement")
    func deferredConstraint() async throws {
        let schema = """
            CREATE TABLE names (name text, UNIQUE (name) DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO names VALUES ('ann');
            """
        try await withPool(schema: schema) { _, pool, _ in
            for _ in 0..<3 {
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.query("INSERT INTO names VALUES ($1)", [.text("ann")])
                }
                #expect(error?.sqlState == .uniqueViolation)
            }
            let rows = try await pool.query("SELECT count(*) FROM names")
            #expect(try rows[0].decode(as: Int.self) == 1)
        }
    }

    @Test("SQL in a value is not executed")
    func injection() async throws {
        let schema = "CREATE TABLE notes (id int8, body text, tags text[], extra jsonb)"
        try await withPool(schema: schema) { _, pool, _ in
            let evil = "'); DROP TABLE notes; -- \\' $1 \"; COMMIT;"
            _ = try await pool.query(
                "INSERT INTO notes VALUES ($1, $2, $3, to_jsonb($4::text))",
                [.int64(1), .text(evil), .textArray([evil, "{}", "NULL"]), .text(evil)]
            )
            let row = try await pool.query(
                "SELECT body, tags, extra #>> '{}' AS extra FROM notes WHERE body = $1",
                [.text(evil)]
            )[0]
            #expect(try row.decode("body", as: String.self) == evil)
            #expect(try row.decode("tags", as: [String].self) == [evil, "{}", "NULL"])
            #expect(try row.decode("extra", as: String.self) == evil)
        }
    }

    @Test("more different statements than fit into the cache all work repeatedly")
    func statementCache() async throws {
        let change: @Sendable (inout PostgresConfiguration) -> Void = {
            $0.connectionCount = 1
            $0.preparedStatementCountMax = 4
        }
        try await withPool(change) { _, pool, _ in
            for _ in 0..<3 {
                for number in 0..<20 {
                    let rows = try await pool.query("SELECT \(number)")
                    #expect(try rows[0].decode(as: Int.self) == number)
                }
            }
            let kept = try await pool.query("SELECT count(*) FROM pg_prepared_statements")
            #expect(try kept[0].decode(as: Int.self) <= 4)
        }
    }

    @Test("a statement whose table changed works after at most one error")
    func changedTable() async throws {
        let schema = "CREATE TABLE things (a int8); INSERT INTO things VALUES (1)"
        try await withPool({ $0.connectionCount = 1 }, schema: schema) { _, pool, database in
            _ = try await pool.query("SELECT * FROM things")
            try database.run("ALTER TABLE things ADD b int8")
            _ = try? await pool.query("SELECT * FROM things")
            #expect(try await pool.query("SELECT * FROM things").columns == ["a", "b"])
        }
    }

    @Test("the same text with other parameter types is another statement")
    func parameterTypes() async throws {
        try await withPool({ $0.connectionCount = 1 }) { _, pool, _ in
            for value in [PostgresValue.null, .int64(5), .text("5"), .int32(5), .null] {
                let rows = try await pool.query("SELECT $1::int8 AS n", [value])
                #expect(try rows[0].decode(as: Int?.self) == (value == .null ? nil : 5))
            }
        }
    }

    @Test("a full queue refuses, and waiting times out")
    func bounds() async throws {
        let change: @Sendable (inout PostgresConfiguration) -> Void = {
            $0.connectionCount = 1
            $0.pipelineDepth = 1
            $0.waitingCountMax = 1
            $0.waitDeadline = .milliseconds(50)
        }
        try await withPool(change) { loop, pool, _ in
            // Connecting may take longer than a query may wait.
            while (try? await pool.query("SELECT 1")) == nil {
                try await loop.sleep(for: .milliseconds(1))
            }
            let slow = loop.spawn { _ = try? await pool.query("SELECT pg_sleep(1)") }
            let results = Results()
            let waiting = loop.spawn {
                do { _ = try await pool.query("SELECT 2") } catch {
                    results.error = error as? PostgresError
                }
            }
            while pool.waitingCount == 0 { try await loop.sleep(for: .milliseconds(1)) }
            let refused = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT 3")
            }
            #expect(refused == .poolFull)
            await waiting.wait()
            #expect(results.error == .poolFull)
            await slow.wait()
            #expect(try await pool.query("SELECT 4").count == 1)
        }
    }

    @Test("a cancelled task neither disturbs its connection nor sends anything")
    func cancellation() async throws {
        try await withPool({ $0.connectionCount = 1 }) { loop, pool, _ in
            _ = try await pool.query("SELECT 1")
            let results = Results()
            var tasks: [LoopTask] = []
            for number in 0..<100 {
                let task = loop.spawn {
                    _ = try? await pool.query(
                        "SELECT pg_sleep(0.001), $1::int8",
                        [.integer(number)]
                    )
                    do { _ = try await pool.query("SELECT 'not sent'") } catch {
                        if (error as? PostgresError) == .cancelled { results.failures += 1 }
                    }
                }
                tasks.append(task)
                if number % 2 == 0 { task.cancel() }
            }
            for task in tasks { await task.wait() }
            #expect(results.failures == 50)
            let rows = try await pool.query("SELECT $1::text", [.text("still right")])
            #expect(try rows[0].decode(as: String.self) == "still right")
        }
    }

    @Test("a statement that takes too long is cancelled by the server")
    func statementTimeout() async throws {
        try await withPool({ $0.statementTimeout = .milliseconds(50) }) { _, pool, _ in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT pg_sleep(10)")
            }
            #expect(error?.sqlState == .queryCanceled)
        }
    }

    @Test("a closed pool throws closed")
    func closed() async throws {
        try await withPool { _, pool, _ in
            await pool.close()
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT 1")
            }
            #expect(error == .closed)
        }
    }
}

/// The results of the tasks of one loop.
final class Results {
    var sum = 0
    var failures = 0
    var error: PostgresError?
    var texts: [String] = []
}
