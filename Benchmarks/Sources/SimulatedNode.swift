// The server's internals on a private PostgreSQL, with a simulated engine: for measuring fairness and
// stop requests from question to slot.

import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Networking
import Postgres

/// A PostgreSQL for one measurement, stopped and deleted afterwards.
struct BenchmarkDatabase {
    let folder: String
    private let cluster: PrivateCluster
    let configuration: PostgresConfiguration

    /// The connection for other processes.
    var url: String {
        "host=\(configuration.parameters["host"] ?? "") port=5432 user=stoa dbname=stoa"
    }

    /// The process id of the postmaster.
    var postmaster: Int { Int(cluster.serverProcess ?? 0) }

    init() throws {
        folder = "/tmp/stoa-bench-\(UUID().uuidString.lowercased())"
        var settings = PrivateCluster.Configuration(folder: folder)
        settings.isThrowaway = true
        cluster = try PrivateCluster.start(settings)
        configuration = cluster.database
        let migrations = BundledFolder.migrations.files.compactMap { file in
            Migration(fileName: file.path, sql: String(decoding: file.bytes, as: UTF8.self))
        }
        try Migrator(migrations).migrate(configuration)
    }

    func release() throws {
        try cluster.release()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// The history of one question.
struct TurnRecord {
    var user: Int
    /// When its send was acknowledged.
    var sentAt: ContinuousClock.Instant
    /// The announced starts: when, and in how many seconds.
    var announcements: [(at: ContinuousClock.Instant, eta: Double)] = []
    var startedAt: ContinuousClock.Instant?
    var endedAt: ContinuousClock.Instant?
    /// Tokens of its prompt and its answer.
    var tokens = 0
    /// The time to stop it, as reported by the server.
    var stopMilliseconds: Double?

    /// Seconds until it started.
    var wait: Double? { startedAt.map { max(0, ($0 - sentAt).inSeconds) } }
}

/// The engines that a pool started.
private final class EngineList {
    var all: [SimulatedEngine] = []
}

/// One node with a simulated engine, and a subscriber of all its conversations.
final class SimulatedNode: Watcher {
    let loop: EventLoop
    let store: Store
    let dispatcher: RunDispatcher
    private let stopper: RunStopper
    private let hub: ConversationHub
    private let engines: EngineList
    private let postgres: PostgresPool
    private(set) var records: [MessageID: TurnRecord] = [:]
    /// Called after each change of a record.
    var onChange: (MessageID) -> Void = { _ in }

    let isSlow = false
    let isStuck = false

    init(
        _ loop: EventLoop,
        _ database: PostgresConfiguration,
        model: LoadedModel,
        configuration: EngineConfiguration,
        cost: SimulatedEngine.Cost
    ) throws {
        self.loop = loop
        let logger = Logger(label: "bench")
        postgres = PostgresPool(loop: loop, configuration: database, logger: logger)
        store = Store(pool: postgres)
        let bus = SoloBus()
        hub = ConversationHub(loop: loop, store: store, bus: bus)
        var runSettings = RunDispatcher.Configuration(
            lease: .seconds(30),
            maxTokens: 400,
            temperature: 0
        )
        var settings = ServerSettings()
        settings.slotCount = configuration.slots
        runSettings.limits = settings.runningLimits
        let runs = RunTable()
        dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            runs: runs,
            peers: NodePeers(
                loop: loop,
                store: store,
                hub: hub,
                bus: bus,
                runs: runs,
                deletions: PromptCaches()
            ),
            configuration: runSettings,
            promptWorkers: try WorkerPool(name: "prompts", threads: 1, queueLimit: 4096),
            logger: logger
        )
        stopper = RunStopper(
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            bus: bus,
            logger: logger
        )
        let dispatcher = dispatcher
        let engines = EngineList()
        self.engines = engines
        let pool = EnginePool(
            loop: loop,
            slots: configuration.slots,
            contextLimit: configuration.contextLimit,
            makeEngine: { _, _, sink in
                let engine = try SimulatedEngine(
                    configuration: configuration,
                    cost: cost,
                    sink: sink
                )
                engines.all.append(engine)
                return engine
            },
            receive: { dispatcher.receive($0) }
        )
        dispatcher.start(pool)
        try pool.add(model, as: "simulated")
    }

    /// Adds a user.
    func addUser(_ name: String) async throws -> User {
        try await store.accounts.addUser(name: name, passwordHash: "none", isAdmin: false)
    }

    /// Creates a conversation and subscribes to it.
    func conversation(of user: User) async throws -> ConversationID {
        let conversation = try await store.conversations.create(
            ConversationCreateRequest(key: UUID().uuidString),
            model: "simulated",
            systemPrompt: "You are a helpful assistant.",
            by: user.id
        )
        hub.beginWatch(conversation.id, self)
        hub.activate(conversation.id, self, n: conversation.n)
        return conversation.id
    }

    /// Sends a question, as a session does.
    func ask(
        _ text: String,
        in conversation: ConversationID,
        by user: User,
        number: Int
    ) async throws -> MessageID {
        let committed = try await store.messages.send(
            MessageSendRequest(conversation: conversation, key: UUID().uuidString, text: text),
            by: user,
            limits: QueueLimits(total: 10_000, perUser: 10_000)
        )
        let answer = committed.value.answer.id
        records[answer] = TurnRecord(user: number, sentAt: .now)
        hub.publish(committed.events, in: conversation)
        dispatcher.enqueue(committed.queued)
        return answer
    }

    /// Stops a queued or running answer, as a session does.
    func stop(_ message: MessageID, in conversation: ConversationID) async throws {
        try await stopper.stop(message, in: conversation, for: .requested(seen: nil))
    }

    func forgetRecords() { records = [:] }

    /// Waits until `isDone`, which is checked at each change of a record.
    func wait(until isDone: () -> Bool) async throws {
        while !isDone() { try await loop.sleep(for: .milliseconds(1)) }
    }

    func end() async {
        await dispatcher.drain(within: .zero)
        for engine in engines.all { engine.shutdown() }
        await postgres.close()
    }

    // MARK: Received frames

    func send(_ frame: SharedBytes) {
        // A server's frame has a header of two, four or ten bytes before its text (RFC 6455, 5.2).
        let start = [126: 4, 127: 10][frame.bytes[1]] ?? 2
        let now = ContinuousClock.now
        guard
            let event = try? JSONDecoder().decode(
                ServerEvent.self,
                from: Data(frame.bytes[start...])
            ),
            let message = note(event, at: now)
        else { return }
        onChange(message)
    }

    private func note(_ event: ServerEvent, at now: ContinuousClock.Instant) -> MessageID? {
        switch event {
        case .messageQueued(let queued):
            guard let eta = queued.eta else { return nil }
            records[queued.message]?.announcements.append((now, eta))
            return nil
        case .messageStarted(let started):
            records[started.message]?.startedAt = now
            return started.message
        case .messageCompleted(let ended), .messageStopped(let ended), .messageFailed(let ended):
            records[ended.message]?.endedAt = now
            records[ended.message]?.tokens =
                ended.usage.map { $0.promptTokens + $0.completionTokens } ?? 0
            records[ended.message]?.stopMilliseconds = ended.stop?.latencyMilliseconds
            return ended.message
        default:
            return nil
        }
    }
}
