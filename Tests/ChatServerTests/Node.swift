// A server without its connections: from the store to the engine and back.

import ChatProtocol
import ChatServer
import ChatStore
import Dispatch
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Networking
import Postgres
import TestSupport
import Testing

/// A node with engines that record their requests.
final class Node {
    /// The demo model, loaded once.
    static let demo = Result { () throws(EngineError) in
        try LoadedModel.load(folder: "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model")
    }

    static let schema: [Migration] = BundledFolder.migrations.files.compactMap { file in
        Migration(fileName: file.path, sql: String(decoding: file.bytes, as: UTF8.self))
    }

    /// The id of the node in its leases.
    let id: UUID
    let loop: EventLoop
    /// Its database.
    let database: PostgresConfiguration
    let store: Store
    let hub: ConversationHub
    let dispatcher: RunDispatcher
    /// The other nodes, as the dispatcher sees them.
    let peers: ObservedPeers
    /// What other nodes were seen to delete.
    let deletions = HeardDeletions()
    /// Called for users whose sign-ins another node may have ended; set before anything happens there.
    var accountChanged: (UserID) -> Void = { _ in }
    let pool: EnginePool
    /// Its link to other nodes on the same database; it listens only if there are several.
    let link: NodeLink
    private let engines: EngineList
    private let news: ModelNews
    private let logger = Logger(label: "test")
    private let postgres: PostgresPool
    /// The single thread that builds prompts.
    let promptWorkers: WorkerPool

    /// - Parameters:
    ///   - loop: its loop.
    ///   - configuration: its database.
    ///   - isOneOfSeveral: whether other nodes use the database, too.
    ///   - makesAnswers: whether it claims runs.
    ///   - slots: maximum running answers.
    ///   - lease: the duration of its leases.
    ///   - wrap: replaces the default bus of several nodes.
    ///   - load: loads models.
    ///   - keepInterval: the interval of checkpoints.
    ///   - makesTitles: whether the model makes titles.
    ///   - filter: filters the engines' events.
    /// - Throws: if its database's settings cannot be used.
    init(
        _ loop: EventLoop,
        _ configuration: PostgresConfiguration,
        isOneOfSeveral: Bool = false,
        makesAnswers: Bool = true,
        slots: Int = 2,
        lease: Duration = .seconds(30),
        wrap: (PostgresBus) -> any Bus = { $0 },
        load: @escaping EnginePool.Load = { _, _ in try demo.get() },
        keepInterval: Duration = .milliseconds(250),
        makesTitles: Bool = false,
        filter: @escaping @Sendable ([TokenEvent]) -> [TokenEvent] = { $0 }
    ) throws {
        self.loop = loop
        database = configuration
        let id = UUID()
        self.id = id
        postgres = PostgresPool(loop: loop, configuration: configuration, logger: logger)
        let postgresBus = PostgresBus(
            loop: loop,
            nodes: Store(pool: postgres).nodes,
            configuration: PostgresBus.Configuration(
                node: id,
                name: "test",
                listening: configuration
            ),
            logger: logger
        )
        let bus = isOneOfSeveral ? wrap(postgresBus) : SoloBus(node: id)
        store = Store(pool: postgres, node: id, observer: bus)
        hub = ConversationHub(loop: loop, store: store, bus: bus)
        promptWorkers = try WorkerPool(name: "prompts", threads: 1, queueLimit: 100)
        var settings = RunDispatcher.Configuration(
            lease: lease,
            maxTokens: 200,
            temperature: 0
        )
        settings.node = id
        settings.checkpointInterval = keepInterval
        settings.makesTitles = makesTitles
        // Tests hold the thread that builds prompts.
        settings.promptBytesOnLoop = -1
        let runs = RunTable()
        let nodePeers = NodePeers(
            loop: loop,
            store: store,
            hub: hub,
            bus: bus,
            runs: runs,
            deletions: deletions
        )
        peers = ObservedPeers(nodePeers)
        dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            runs: runs,
            peers: peers,
            configuration: settings,
            promptWorkers: promptWorkers,
            logger: logger
        )
        link = NodeLink(
            loop: loop,
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            peers: nodePeers,
            logger: logger
        )
        let dispatcher = dispatcher
        let engines = EngineList()
        self.engines = engines
        pool = EnginePool(
            loop: loop,
            slots: slots,
            contextLimit: 2048,
            load: load,
            makeEngine: { model, _, sink in
                let engine = try RecordingEngine(model: model) { sink(filter($0)) }
                engines.all.append(engine)
                return engine
            },
            receive: { dispatcher.receive($0) }
        )
        news = ModelNews(pool: pool, dispatcher: dispatcher)
        if makesAnswers { dispatcher.start(pool) }
        if isOneOfSeveral { link.start { [weak self] in self?.accountChanged($0) } }
    }

    /// Two nodes on one database, of which only the first runs answers, if any does.
    static func two(
        _ loop: EventLoop,
        _ configuration: PostgresConfiguration,
        makesAnswers: Bool = true
    ) throws -> (Node, Node) {
        let first = try Node(
            loop,
            configuration,
            isOneOfSeveral: true,
            makesAnswers: makesAnswers
        )
        try first.pool.add(try demo.get(), as: "demo")
        let second = try Node(loop, configuration, isOneOfSeveral: true, makesAnswers: false)
        return (first, second)
    }

    /// A node with the demo model under the name `demo`.
    static func withDemo(
        _ loop: EventLoop,
        _ configuration: PostgresConfiguration,
        slots: Int = 2,
        lease: Duration = .seconds(30),
        keepInterval: Duration = .milliseconds(250),
        filter: @escaping @Sendable ([TokenEvent]) -> [TokenEvent] = { $0 }
    ) throws -> Node {
        let node = try Node(
            loop,
            configuration,
            slots: slots,
            lease: lease,
            keepInterval: keepInterval,
            filter: filter
        )
        try node.pool.add(try demo.get(), as: "demo")
        return node
    }

    /// The engines, in the order in which their models became ready.
    var allEngines: [RecordingEngine] { engines.all }

    /// Creates the downloads of this node from a hub.
    func makePulls(
        from hub: DemoHub,
        cache: TemporaryFolder,
        workers: WorkerPool
    ) -> ModelPulls {
        ModelPulls(
            pool: pool,
            source: HubModels(
                environment: ["HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cache.path],
                dataDirectory: cache.path
            ),
            store: store,
            workers: workers,
            loop: loop,
            logger: logger
        )
    }

    /// Blocks the prompt thread, so that no answer starts; the loop is not blocked.
    /// - Returns: a function that unblocks it, and waits until it runs.
    func holdPrompts() async -> () async throws -> Void {
        let gate = DispatchSemaphore(value: 0)
        let workers = promptWorkers
        let (isBusy, begins) = AsyncStream.makeStream(of: Void.self)
        let busy = Task {
            try await workers.run {
                begins.finish()
                gate.wait()
            }
        }
        for await _ in isBusy {}
        return {
            gate.signal()
            try await busy.value
        }
    }

    /// Adds a user.
    func addUser(_ name: String = "ann", isAdmin: Bool = false) async throws -> User {
        try await store.accounts.addUser(name: name, passwordHash: "none", isAdmin: isAdmin)
    }

    /// Creates a conversation with a model.
    func makeConversation(
        by user: User,
        model: String = "demo",
        systemPrompt: String = "You are a helpful assistant.",
        settings: GenerationSettings? = nil
    ) async throws -> ConversationID {
        try await store.conversations.create(
            ConversationCreateRequest(key: UUID().uuidString, settings: settings),
            model: model,
            systemPrompt: systemPrompt,
            by: user.id
        ).id
    }

    /// Expires the leases of answers, as if this node had crashed.
    func loseLeases(of messages: [MessageID]) async throws {
        _ = try await store.queue.renewLeases(of: messages, node: id, lease: .seconds(-1))
    }

    /// Sends a text, notifies subscribers, and returns the pending answer.
    func ask(
        _ text: String,
        in conversation: ConversationID,
        by user: User
    ) async throws -> MessageID {
        let committed = try await store.messages.send(
            MessageSendRequest(conversation: conversation, key: UUID().uuidString, text: text),
            by: user,
            limits: QueueLimits(total: 100, perUser: 100)
        )
        hub.publish(committed.events, in: conversation)
        dispatcher.wake()
        return committed.value.answer.id
    }

    /// Sends a text and waits until its answer has ended.
    func say(
        _ text: String,
        in conversation: ConversationID,
        by user: User
    ) async throws -> Message {
        let listener = EventListener(loop)
        try await listener.watch(conversation, of: user, on: self)
        defer { hub.unwatch(conversation, listener) }
        let answer = try await ask(text, in: conversation, by: user)
        try await listener.wait(until: { $0.endedMessage == answer })
        return try await message(answer, in: conversation, for: user)
    }

    /// A message in the newest page of the database.
    func message(
        _ id: MessageID,
        in conversation: ConversationID,
        for user: User
    ) async throws -> Message {
        let page = try await store.messages.page(
            of: conversation,
            before: nil,
            limit: 50,
            for: user.id
        )
        return try #require(page.messages.first { $0.id == id })
    }

    func end() async {
        await dispatcher.drain(within: .zero)
        for engine in engines.all { engine.shutdown() }
        await link.stop()
        await postgres.close()
    }
}

/// The conversations in which a node was notified of deletions.
final class HeardDeletions: DeletionObserver {
    private(set) var conversations: Set<ConversationID> = []

    func deleted(in conversation: ConversationID) { conversations.insert(conversation) }
}

/// A node's peers, which also call a test.
final class ObservedPeers: RunPeers {
    /// Called when checkpoints were stored.
    var onStored: (Set<ConversationID>) -> Void = { _ in }
    private let peers: NodePeers

    init(_ peers: NodePeers) { self.peers = peers }

    func isWatchedElsewhere(_ conversation: ConversationID) -> Bool {
        peers.isWatchedElsewhere(conversation)
    }

    func publishMissed(in conversation: ConversationID, upTo n: Int64) async {
        await peers.publishMissed(in: conversation, upTo: n)
    }

    func runBegins(in conversation: ConversationID) { peers.runBegins(in: conversation) }

    func note(_ event: ServerEvent, of run: RunID, message: MessageID) {
        peers.note(event, of: run, message: message)
    }

    func stored(in conversations: Set<ConversationID>) {
        onStored(conversations)
        peers.stored(in: conversations)
    }

    func lost(_ run: ClaimedRun) { peers.lost(run) }
}

/// The engines started by a pool.
private final class EngineList {
    var all: [RecordingEngine] = []
}
