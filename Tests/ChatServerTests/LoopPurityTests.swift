// Guards decision 3 as a whole: straight-line code on the loop resumes on the loop's own thread
// after each wait of a server, without being woken by another thread.
// EventLoopTests/ExecutorTests.swift counts the cost of each kind of wait.

import ChatProtocol
import ChatStore
import EventLoop
import Glibc
import Logging
import Networking
import Postgres
import TestSupport
import Testing

@Suite("Straight-line code on a server's loop", .timeLimit(.minutes(1)))
struct LoopPurityTests {
    private static let rounds = 50

    private static func currentThread() -> pthread_t { pthread_self() }

    /// Awaits a timer, a socket's bytes and `query` in turn, many times.
    /// - Returns: how many jobs this loop's thread and others enqueued, and how often the latter
    ///   woke the loop.
    private static func cost(
        on loop: EventLoop,
        of query: () async throws -> Void
    ) async throws -> (local: Int, foreign: Int, wakeUps: Int) {
        let (near, far) = try ByteStream.pair(loop: loop)
        let (reader, writer) = (AsyncByteStream(near), AsyncByteStream(far))
        let thread = currentThread()
        let before = loop.executor.counters
        for _ in 0..<rounds {
            try await loop.sleep(for: .milliseconds(1))
            #expect(currentThread() == thread, "after a timer")
            try await writer.write([1, 2, 3])
            let bytes = try await reader.read()
            #expect(currentThread() == thread, "after a socket's bytes")
            #expect(bytes == [1, 2, 3])
            try await query()
            #expect(currentThread() == thread, "after a query")
        }
        let after = loop.executor.counters
        reader.close()
        writer.close()
        return (
            after.localEnqueues - before.localEnqueues,
            after.foreignEnqueues - before.foreignEnqueues,
            after.wakeUps - before.wakeUps
        )
    }

    @Test("a timer, a socket's bytes and a query cost one local enqueue each, and no thread hop")
    func threeWaits() async throws {
        let database = try TestCluster.database()
        let configuration = database.configuration
        let cost = try await EventLoop.run { loop in
            let pool = PostgresPool(
                loop: loop,
                configuration: configuration,
                logger: Logger(label: "test")
            )
            // Opening the other connections would be counted, too.
            while pool.openCount < configuration.connectionCount {
                try await loop.sleep(for: .milliseconds(1))
            }
            let cost = try await Self.cost(on: loop) { _ = try await pool.query("SELECT 1") }
            await pool.close()
            return cost
        }
        withExtendedLifetime(database) {}
        #expect(cost == (3 * Self.rounds, 0, 0))
    }

    @Test("nor do they hop while a node does other work, with the server's own transactions")
    func onANode() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let cost = try await EventLoop.run { loop in
            let node = try Node(loop, configuration, isOneOfSeveral: true)
            let ann = try await node.addUser()
            let cost = try await Self.cost(on: loop) {
                let conversation = try await node.makeConversation(by: ann)
                _ = try await node.store.conversations.conversation(conversation, for: ann.id)
            }
            await node.end()
            return cost
        }
        withExtendedLifetime(database) {}
        #expect(cost.local >= 4 * Self.rounds)
        #expect(cost.foreign == 0)
        #expect(cost.wakeUps == 0)
    }

    /// Code that `make lint` refuses; shows that the tests above can detect a thread hop.
    @Test("a bare task leaves the thread, another thread ends Task.sleep, and both are detected")
    func control() async throws {
        try await EventLoop.run { loop in
            let thread = Self.currentThread()
            let elsewhere = await Task { Self.currentThread() }.value
            #expect(elsewhere != thread)
            let before = loop.executor.counters
            // If the other thread is faster, the task continues without having waited.
            for _ in 0..<100
            where loop.executor.counters.foreignEnqueues == before.foreignEnqueues {
                try await Task.sleep(for: .milliseconds(1))
                #expect(Self.currentThread() == thread)
            }
            let after = loop.executor.counters
            #expect(after.foreignEnqueues > before.foreignEnqueues)
            #expect(after.wakeUps > before.wakeUps)
        }
    }
}
