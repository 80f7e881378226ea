import EventLoop
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Transactions on a real server.
@Suite("Transactions")
struct TransactionTests {
    static let schema = "CREATE TABLE accounts (id int8 PRIMARY KEY, balance int8 NOT NULL)"

    struct Refused: Error {}

    @Test("a transaction is committed completely or not at all")
    func wholeOrNothing() async throws {
        try await withPool(schema: Self.schema) { _, pool, _ in
            let count = try await pool.transaction { transaction in
                _ = try await transaction.query("INSERT INTO accounts VALUES (1, 10)")
                _ = try await transaction.query("INSERT INTO accounts VALUES (2, 20)")
                return try await transaction.query("SELECT FROM accounts").count
            }
            #expect(count == 2)
            await #expect(throws: Refused.self) {
                try await pool.transaction { transaction in
                    _ = try await transaction.query("INSERT INTO accounts VALUES (3, 30)")
                    throw Refused()
                }
            }
            #expect(try await pool.query("SELECT FROM accounts").count == 2)
        }
    }

    @Test("an error that the body ignores fails the commit")
    func passedOver() async throws {
        try await withPool(schema: Self.schema) { _, pool, _ in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    _ = try await transaction.query("INSERT INTO accounts VALUES (1, 10)")
                    _ = try? await transaction.query("INSERT INTO accounts VALUES (1, 10)")
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            let rows = try await pool.query("SELECT FROM accounts")
            #expect(rows.isEmpty)
        }
    }

    @Test("conflicting transactions are retried, and no update is lost")
    func serialization() async throws {
        let schema = Self.schema + "; INSERT INTO accounts VALUES (1, 0)"
        let change: @Sendable (inout PostgresConfiguration) -> Void = {
            $0.connectionCount = 5
            $0.transactionAttemptCount = 100
        }
        try await withPool(change, schema: schema) { loop, pool, _ in
            let results = Results()
            // The first has read before the second starts, and writes after it has committed.
            let hasRead = LoopPromise<Void, Never>(loop)
            let hasCommitted = LoopPromise<Void, Never>(loop)
            let tasks = (0..<20).map { number in
                loop.spawn {
                    if number == 1 { await hasRead.value { hasRead.succeed(()) } }
                    defer { if number == 1 { hasCommitted.succeed(()) } }
                    do {
                        try await pool.transaction(isolation: .serializable) { transaction in
                            results.sum += 1
                            let rows = try await transaction.query(
                                "SELECT balance FROM accounts WHERE id = 1"
                            )
                            let balance = try rows[0].decode(as: Int.self)
                            if number == 0, !hasRead.isComplete {
                                hasRead.succeed(())
                                await hasCommitted.value { hasCommitted.succeed(()) }
                            }
                            _ = try await transaction.query(
                                "UPDATE accounts SET balance = $1 WHERE id = 1",
                                [.integer(balance + 1)]
                            )
                        }
                    } catch {
                        results.failures += 1
                    }
                }
            }
            for task in tasks { await task.wait() }
            let rows = try await pool.query("SELECT balance FROM accounts")
            #expect(results.failures == 0)
            #expect(try rows[0].decode(as: Int.self) == 20)
            // There were indeed conflicts.
            #expect(results.sum > 20)
        }
    }

    @Test("a permanent conflict fails after the configured number of attempts")
    func givingUp() async throws {
        try await withPool({ $0.transactionAttemptCount = 3 }) { _, pool, _ in
            let results = Results()
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    results.sum += 1
                    _ = try await transaction.query(
                        "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$"
                    )
                }
            }
            #expect(error?.sqlState == .serializationFailure)
            #expect(results.sum == 3)
        }
    }

    @Test("transactions leave a connection for single statements")
    func reserve() async throws {
        try await withPool({ $0.connectionCount = 2 }) { loop, pool, _ in
            let gate = LoopPromise<Void, Never>(loop)
            let inside = LoopPromise<Void, Never>(loop)
            let long = loop.spawn {
                try? await pool.transaction { transaction in
                    _ = try await transaction.query("SELECT 1")
                    inside.succeed(())
                    await gate.value(cancelled: {})
                }
            }
            await inside.value(cancelled: {})
            let second = loop.spawn {
                try? await pool.transaction { _ = try await $0.query("SELECT 2") }
            }
            while pool.waitingCount == 0 { try await loop.sleep(for: .milliseconds(1)) }
            #expect(try await pool.query("SELECT 3").count == 1)
            gate.succeed(())
            await long.wait()
            await second.wait()
            #expect(pool.waitingCount == 0)
        }
    }

    @Test("a cancelled transaction is rolled back and its connection stays usable")
    func cancelled() async throws {
        try await withPool({ $0.connectionCount = 1 }, schema: Self.schema) { loop, pool, _ in
            let inside = LoopPromise<Void, Never>(loop)
            let task = loop.spawn {
                try? await pool.transaction { transaction in
                    _ = try await transaction.query("INSERT INTO accounts VALUES (1, 1)")
                    inside.succeed(())
                    try await loop.sleep(for: .seconds(60))
                }
            }
            await inside.value(cancelled: {})
            task.cancel()
            await task.wait()
            #expect(try await pool.query("SELECT FROM accounts").isEmpty)
            let state = try await pool.query(
                "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'"
                    + " AND datname = current_database()"
            )
            #expect(try state[0].decode(as: Int.self) == 0)
        }
    }

    @Test("a transaction that lost its connection before the commit is retried")
    func lostBeforeCommit() async throws {
        try await withPool(schema: Self.schema) { _, pool, _ in
            let results = Results()
            try await pool.transaction { transaction in
                results.sum += 1
                _ = try await transaction.query("INSERT INTO accounts VALUES (1, 1)")
                if results.sum == 1 {
                    _ = try await transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
                }
            }
            #expect(results.sum == 2)
            #expect(try await pool.query("SELECT FROM accounts").count == 1)
        }
    }

    @Test("a transaction cannot be used after its end")
    func escaped() async throws {
        try await withPool { _, pool, _ in
            let escaped = try await pool.transaction { $0 }
            let error = await #expect(throws: PostgresError.self) {
                try await escaped.query("SELECT 1")
            }
            #expect(error == .closed)
        }
    }

    @Test("a transaction is released after its end, even if its statements were not awaited")
    func released() async throws {
        try await withPool { _, pool, _ in
            weak var ended: PostgresTransaction?
            try await pool.transaction { transaction in
                try transaction.send("SELECT 1")
                ended = transaction
            }
            let isGone = ended == nil
            #expect(isGone)
        }
    }

    @Test("statements that are sent together are committed together")
    func sentTogether() async throws {
        try await withPool(schema: Self.schema) { _, pool, _ in
            let sum = try await pool.transaction { transaction in
                try transaction.send("INSERT INTO accounts VALUES (1, 10)")
                try transaction.send("INSERT INTO accounts VALUES (2, 20)")
                let sum = try transaction.send("SELECT sum(balance)::int8 FROM accounts")
                try transaction.send("INSERT INTO accounts VALUES (3, 30)")
                return try await sum.rows()[0].decode(as: Int.self)
            }
            #expect(sum == 30)
            #expect(try await pool.query("SELECT FROM accounts").count == 3)
        }
    }

    @Test(
        "a failed statement that was not awaited fails the commit, and its connection stays usable"
    )
    func failedUnseen() async throws {
        try await withPool({ $0.connectionCount = 1 }, schema: Self.schema) { _, pool, _ in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    try transaction.send("INSERT INTO accounts VALUES (1, 10)")
                    try transaction.send("INSERT INTO accounts VALUES (1, 10)")
                    try transaction.send("INSERT INTO accounts VALUES (2, 20)")
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            let rows = try await pool.query("SELECT FROM accounts")
            #expect(rows.isEmpty)
        }
    }

    @Test("the error of a statement that was not awaited is thrown by the next awaited one")
    func thrownLater() async throws {
        try await withPool({ $0.connectionCount = 1 }, schema: Self.schema) { _, pool, _ in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    try transaction.send("INSERT INTO accounts VALUES (1, 10)")
                    try transaction.send("INSERT INTO accounts VALUES (1, 10)")
                    _ = try await transaction.query("SELECT FROM accounts")
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            let rows = try await pool.query("SELECT FROM accounts")
            #expect(rows.isEmpty)
        }
    }

    @Test("statements are evicted within a transaction")
    func fullCache() async throws {
        try await withPool {
            $0.connectionCount = 1
            $0.preparedStatementCountMax = 3
        } _: { _, pool, _ in
            for _ in 0..<3 {
                let sum = try await pool.transaction { transaction in
                    let sent = try (0..<8).map { try transaction.send("SELECT \($0)::int8") }
                    var sum = 0
                    for one in sent { sum += try await one.rows()[0].decode(as: Int.self) }
                    return sum
                }
                #expect(sum == 28)
            }
            let rows = try await pool.query("SELECT count(*)::int8 FROM pg_prepared_statements")
            #expect(try rows[0].decode(as: Int.self) <= 3)
        }
    }
}
