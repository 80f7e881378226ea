// Notifications between many nodes through one PostgreSQL: real connections, each node's own bus, and the
// notifications of turns, without the turns. How late they come, and what they cost PostgreSQL, says how
// many nodes and turns LISTEN and NOTIFY carry.

import ArgumentParser
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Glibc
import Logging
import Postgres

struct NotificationsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Notify many nodes through PostgreSQL, as turns do."
    )

    @Option(help: "A migrated database, as host=… dbname=….") var databaseURL: String
    @Option(help: "The process id of its postmaster, whose processor time is read.")
    var postmaster: Int
    @Option(help: "Nodes.") var nodes = 20
    @Option(help: "Turns a minute, of all nodes.") var turnsPerMinute = 10_000.0
    @Option(help: "Other nodes with a reader of each conversation.") var readers = 2
    @Option(help: "Seconds that an answer grows, with a notification every 50 ms.")
    var answerSeconds = 4.0
    @Option(help: "Seconds to measure.") var seconds = 15.0

    func run() async throws {
        var database = try PostgresConfiguration(connectionString: databaseURL)
        database.connectionCount = 1
        let load = NotificationLoad(
            database: database,
            nodes: nodes,
            turnsPerMinute: turnsPerMinute,
            readers: readers,
            answerSeconds: answerSeconds
        )
        let (duration, usage) = (seconds, ProcessorUsage(ofProcess: postmaster))
        let figures = try await EventLoop.run { loop in
            let play = NotificationPlay(loop, load)
            try await play.prepare()
            let before = usage.seconds
            try await play.run(for: .seconds(duration))
            play.figures.processorSeconds = usage.seconds - before
            await play.end()
            return play.figures
        }
        report("turns_per_minute", Double(figures.turns) / seconds * 60)
        report("notifications_a_second", Double(figures.received) / seconds)
        report("postgres_processors", figures.processorSeconds / seconds)
        report("postgres_ms_per_turn", figures.processorSeconds * 1000 / Double(figures.turns))
        report("event_p50_ms", figures.events.median * 1000)
        report("event_p99_ms", figures.events.percentile(0.99) * 1000)
        report("text_p50_ms", figures.texts.median * 1000)
        report("text_p99_ms", figures.texts.percentile(0.99) * 1000)
        report("missing", Double(figures.missing))
    }
}

/// What is notified, and where.
private struct NotificationLoad: Sendable {
    let database: PostgresConfiguration
    let nodes: Int
    let turnsPerMinute: Double
    let readers: Int
    let answerSeconds: Double
}

private struct NotificationFigures: Sendable {
    var turns = 0
    var received = 0
    /// Seconds from a node's `send` to a reader's node.
    var events = Sample()
    var texts = Sample()
    /// Notifications of durable events that did not arrive until the end.
    var missing = 0
    /// PostgreSQL's processor time.
    var processorSeconds = 0.0
}

/// The nodes and the turns. Used on one event loop.
private final class NotificationPlay {
    /// A notification under way.
    private struct Sent {
        let at: ContinuousClock.Instant
        var left: Int
    }

    private static let conversationsPerNode = 25
    private static let checkpointInterval = 0.05

    private let loop: EventLoop
    private let load: NotificationLoad
    private let pools: [PostgresPool]
    private let buses: [PostgresBus]
    /// The conversations, by the node that runs their answers.
    private let conversations: [[ConversationID]]
    private var underWay: [WakeUp: Sent] = [:]
    var figures = NotificationFigures()

    init(_ loop: EventLoop, _ load: NotificationLoad) {
        self.loop = loop
        self.load = load
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let pools = (0..<load.nodes).map { _ in
            PostgresPool(loop: loop, configuration: load.database, logger: logger)
        }
        self.pools = pools
        buses = pools.enumerated().map { index, pool in
            let configuration = PostgresBus.Configuration(
                node: UUID(),
                name: "node \(index)",
                listening: load.database
            )
            return PostgresBus(
                loop: loop,
                nodes: Store(pool: pool).nodes,
                configuration: configuration,
                logger: logger
            )
        }
        conversations = (0..<load.nodes).map { _ in
            (0..<Self.conversationsPerNode).map { _ in ConversationID.make() }
        }
    }

    /// Starts the nodes, and registers the readers of all conversations.
    func prepare() async throws {
        for bus in buses { bus.start { [weak self] in self?.take($0) } }
        while !buses.allSatisfy({ $0.isHearing && $0.hasOthers }) {
            try await loop.sleep(for: .milliseconds(50))
        }
        for (home, topics) in conversations.enumerated() {
            for reader in 1...load.readers {
                let bus = buses[(home + reader) % buses.count]
                bus.change(watching: Set(topics.map(\.uuid)), ended: [])
            }
        }
        // Each node registers all its topics with one statement; the last call waits for it.
        for (index, bus) in buses.enumerated() { await bus.watch(conversations[index][0].uuid) }
    }

    func run(for duration: Duration) async throws {
        let end = loop.now + duration
        let mean = 60 / load.turnsPerMinute
        var next = loop.now
        while next < end {
            next += .seconds(-mean * log(Double.random(in: Double.leastNonzeroMagnitude..<1)))
            if next > loop.now { try await loop.sleep(for: next - loop.now) }
            let home = Int.random(in: buses.indices)
            if let topic = conversations[home].randomElement() { turn(of: topic, at: home) }
        }
    }

    func end() async {
        // What is late by more than a second counts as missing.
        try? await loop.sleep(for: .seconds(1))
        for (wakeUp, sent) in underWay {
            if case .events = wakeUp { figures.missing += sent.left }
        }
        for bus in buses { await bus.stop() }
        for pool in pools { await pool.close() }
    }

    private func turn(of conversation: ConversationID, at home: Int) {
        figures.turns += 1
        let bus = buses[home]
        bus.send(.queue(sender: bus.node))
        send(.events(conversation), from: bus)
        loop.spawn { [self] in
            for _ in 0..<Int(load.answerSeconds / Self.checkpointInterval) {
                try? await loop.sleep(for: .seconds(Self.checkpointInterval))
                send(.text(conversation), from: bus)
            }
            send(.events(conversation), from: bus)
        }
    }

    private func send(_ wakeUp: WakeUp, from bus: PostgresBus) {
        if underWay[wakeUp] == nil {
            underWay[wakeUp] = Sent(at: loop.now, left: load.readers)
        }
        bus.send(wakeUp)
    }

    private func take(_ news: BusNews) {
        guard case .wakeUp(let wakeUp) = news else { return }
        figures.received += 1
        guard var sent = underWay[wakeUp] else { return }
        let late = (loop.now - sent.at).inSeconds
        if case .events = wakeUp { figures.events.add(late) } else { figures.texts.add(late) }
        sent.left -= 1
        underWay[wakeUp] = sent.left == 0 ? nil : sent
    }
}
