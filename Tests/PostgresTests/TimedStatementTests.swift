// Names, times and plans of statements, on a real server.

import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("Timed statements")
struct TimedStatementTests {
    private static let schema = "CREATE TABLE notes (id int8 PRIMARY KEY, body text)"

    private func name(_ function: StaticString = #function) -> StatementName {
        StatementName(file: #fileID, function: function)
    }

    @Test("a statement has the name of its function, and its time")
    func single() async throws {
        try await withPool { _, pool, _ in
            _ = try await pool.query("SELECT 1")
            var seen: [TimedStatement] = []
            pool.onStatement = { seen.append($0) }
            _ = try await pool.query("SELECT pg_sleep($1)", [.double(0.05)], as: name())
            _ = try? await pool.query("SELECT 1 / 0")
            #expect(seen.map { $0.name.map { "\($0)" } } == ["TimedStatementTests.single", nil])
            #expect(seen[0].sql == "SELECT pg_sleep($1)" && seen[0].parameters == [.double(0.05)])
            #expect(seen[0].execution >= .milliseconds(50) && seen[0].wait == .zero)
        }
    }

    @Test("the wait for a connection is told apart")
    func waiting() async throws {
        let change: @Sendable (inout PostgresConfiguration) -> Void = {
            $0.connectionCount = 1
            $0.pipelineDepth = 1
        }
        try await withPool(change) { loop, pool, _ in
            _ = try await pool.query("SELECT 1")
            var seen: [TimedStatement] = []
            pool.onStatement = { seen.append($0) }
            let tasks = ["SELECT pg_sleep(0.05)", "SELECT 2"].map { sql in
                loop.spawn { _ = try? await pool.query(sql) }
            }
            for task in tasks { await task.wait() }
            let second = try #require(seen.first { $0.sql == "SELECT 2" })
            #expect(second.wait >= .milliseconds(40))
        }
    }

    @Test("each statement of a transaction has its own time, and so has the commit")
    func transaction() async throws {
        try await withPool(schema: Self.schema) { _, pool, _ in
            _ = try await pool.query("SELECT 1")
            var seen: [TimedStatement] = []
            pool.onStatement = { seen.append($0) }
            try await pool.transaction { transaction in
                try transaction.send("SELECT pg_sleep(0.05)", as: name("slow()"))
                try transaction.send("INSERT INTO notes VALUES (1, 'x')", as: name("quick()"))
            }
            let names = seen.map { "\($0.name.map { "\($0)" } ?? "")" }
            #expect(
                names == [
                    "TimedStatementTests.slow", "TimedStatementTests.quick", "Transaction.commit",
                ]
            )
            #expect(seen[0].execution >= .milliseconds(50))
        }
    }

    @Test("a plan has nodes and estimates, and nothing of the parameters")
    func plan() async throws {
        try await withPool(schema: Self.schema) { loop, pool, database in
            let plans = StatementPlans(loop: loop, configuration: database.configuration)
            let secret = "secret'\n->  Seq Scan on secret  (cost=1"
            func plan(_ sql: String, _ parameters: [PostgresValue]) async throws -> String? {
                var seen: [TimedStatement] = []
                pool.onStatement = { seen.append($0) }
                _ = try await pool.query(sql, parameters)
                return try await plans.plan(of: try #require(seen.first))
            }
            let read = try await plan("SELECT id FROM notes WHERE body = $1", [.text(secret)])
            #expect(read?.hasPrefix("Seq Scan on notes rows=") == true)
            let byKey = try await plan(
                "  WITH a AS (SELECT 1)\n    SELECT body FROM notes WHERE id = $1",
                [.int64(7)]
            )
            #expect(byKey?.contains("notes_pkey on notes") == true)
            let write = try await plan("INSERT INTO notes VALUES (1, $1)", [.text(secret)])
            #expect(write?.hasPrefix("ModifyTable on notes") == true)
            #expect(![read, byKey, write].contains { $0?.contains("secret") == true })
            // It was not executed again.
            #expect(try await pool.query("SELECT FROM notes").count == 1)
            #expect(try await plan("SHOW work_mem", []) == nil)
        }
    }
}
