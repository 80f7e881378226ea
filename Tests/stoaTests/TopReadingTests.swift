import ChatProtocol
import Testing
import stoa

@Suite("A reading of stoa top")
struct TopReadingTests {
    private static let now = Timestamp(milliseconds: 1_795_253_400_000)

    private static func ago(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds - seconds * 1000)
    }

    private static func reading(runs: Int, user: String = "ann") -> TopReading {
        let status = ServerStatusReply(
            version: "1.2.3",
            time: now,
            nodes: [
                NodeStatus(name: "a", startedAt: ago(7500), seenAt: ago(1), current: true),
                // Its clock is ahead.
                NodeStatus(name: "b", startedAt: ago(90), seenAt: ago(-3)),
            ],
            models: [Model(name: "demo", state: .ready)],
            queue: QueueStatus(waiting: 2, running: 1, limit: 100),
            connections: 7,
            database: DatabaseStatus(state: .away),
            load: ServerLoad(
                seconds: 10,
                usualLagMilliseconds: 0.5,
                longestLagMilliseconds: 250,
                databaseConnections: 8,
                databaseConnectionsUsed: 3,
                databaseWaiting: 1,
                models: [.init(model: "demo", tokensPerSecond: 41.7)]
            )
        )
        let run = ServerRun(
            conversation: .make(),
            message: .make(),
            user: User(id: .make(), name: user),
            model: "demo",
            state: .queued,
            priority: nil,
            queuedAt: ago(5),
            position: 3
        )
        return TopReading(
            status: status,
            engines: [],
            runs: Array(repeating: run, count: runs)
        )
    }

    @Test("has the queue, the database, nodes, models and answers")
    func parts() {
        let lines = Self.reading(runs: 1).lines
        #expect(lines.contains("queue        1 running, 2 waiting, limit 100"))
        #expect(lines.contains("database     unavailable"))
        #expect(lines.contains("a *   2 h   1 s ago"))
        #expect(lines.contains("b     90 s  0 s ago"))
        #expect(lines.contains("demo   ready  42"))
        #expect(lines.contains("pool         8 open, 3 in use, 1 waiting"))
        #expect(lines.contains("loop         99 % of turns within 0.5 ms, all within 250 ms"))
        #expect(lines.last == "ann        queued 3  5 s    demo")
    }

    @Test("fits into the screen, and says what does not", arguments: [(80, 24), (20, 5), (1, 0)])
    func fits(columns: Int, rows: Int) {
        let reading = Self.reading(runs: 90)
        let lines = reading.lines(columns: columns, rows: rows)
        #expect(lines.count == max(1, rows))
        #expect(lines.allSatisfy { $0.count <= columns })
        let hidden = reading.lines.count - lines.count + 1
        #expect(lines.last == String("(\(hidden) more lines)".prefix(columns)))
    }

    @Test("shows no control sequence of a name")
    func names() {
        let lines = Self.reading(runs: 1, user: "a\u{1B}[2Jnn\nb").lines
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\n") })
    }
}
