// Builds the server on a loop, and runs it from the first connection to the last.

import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Networking
import Postgres
import TLSEngine

/// A server on one loop; other loops may handle its sockets.
final class ServerHost {
    let loop: EventLoop
    let settings: ServerSettings
    private let database: Database
    let logger: Logger
    let postgres: PostgresPool
    let workers: WorkerPool
    let server: Server
    /// The threads on which the engines of all models compute.
    let threads: ComputeThreads
    /// Reads the settings again; nil if that is not possible.
    let rereadSettings: ServeCommand.Reread?
    var news: ModelNews?
    let manager: ServiceManager
    var listeners: ServerListeners?
    /// Kept when certificates change, so that clients can resume TLS sessions.
    let ticketKeys = TLSTicketKeys()
    let lifeCycle: LifeCycleJob
    /// Sends traces; nil if the settings name no collector.
    let exporter: TraceExporter?
    var phase = Phase.serving

    /// Builds and connects all parts; serves nothing yet.
    init(
        loop: EventLoop,
        settings: ServerSettings,
        models: StartupModels,
        source: HubModels,
        database: Database,
        manager: ServiceManager,
        makeEngine: EnginePool.MakeEngine? = nil,
        rereadSettings: ServeCommand.Reread? = nil,
        logger: Logger
    ) async throws {
        self.loop = loop
        self.settings = settings
        self.rereadSettings = rereadSettings
        threads = ComputeThreads(count: settings.computeThreadCount)
        self.database = database
        self.manager = manager
        self.logger = logger
        // A node is one process: leases of the previous process are not this one's.
        let node = UUID()
        postgres = PostgresPool(
            loop: loop,
            configuration: database.configuration,
            logger: logger
        )
        let bus = PostgresBus(
            loop: loop,
            nodes: Store(pool: postgres).nodes,
            configuration: PostgresBus.Configuration(
                node: node,
                name: settings.nodeName,
                listening: database.listening
            ),
            logger: logger
        )
        let store = Store(pool: postgres, node: node, observer: bus)
        workers = try WorkerPool(name: "housekeeping", threads: 2, queueLimit: 64)
        let hub = ConversationHub(loop: loop, store: store, bus: bus)
        var configuration = RunDispatcher.Configuration(
            lease: settings.leasePeriod,
            maxTokens: settings.maxTokens,
            temperature: settings.temperature
        )
        configuration.node = node
        configuration.maxThinkingTokens =
            settings.maxThinkingTokens == 0 ? nil : settings.maxThinkingTokens
        configuration.limits = settings.runningLimits
        configuration.makesTitles = settings.titles == .on
        let caches = PromptCaches()
        let runTable = RunTable()
        let peers = NodePeers(
            loop: loop,
            store: store,
            hub: hub,
            bus: bus,
            runs: runTable,
            deletions: caches
        )
        let dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            runs: runTable,
            peers: peers,
            configuration: configuration,
            promptWorkers: try WorkerPool(name: "prompts", threads: 2, queueLimit: 4096),
            logger: logger
        )
        server = Server(
            loop: loop,
            store: store,
            hub: hub,
            dispatcher: dispatcher,
            nodes: NodeLink(
                loop: loop,
                store: store,
                hub: hub,
                dispatcher: dispatcher,
                peers: peers,
                logger: logger
            ),
            caches: caches,
            authenticator: Authenticator(
                loop: loop,
                store: store,
                hasher: try PasswordHasher(
                    threads: settings.hashingThreadCount,
                    queueLimit: settings.hashingQueueLimit
                ),
                lifetime: settings.sessionLifetime,
                registration: settings.registration
            ),
            foreignImports: try ForeignImports(),
            settings: settings,
            epoch: try await store.epoch(),
            logger: logger
        )
        server.metrics.collect(postgres)
        server.slowLog = SlowLog(
            settings,
            postgres,
            database.configuration,
            loop: loop,
            logger: logger
        )
        lifeCycle = LifeCycleJob(server)
        exporter = try TraceExporter(server, node: node, workers: workers)
        server.metrics.collect(exporter)
        server.openID = settings.openID.map { OpenIDProvider($0, loop: loop, workers: workers) }
        server.doctor = ServerDoctor(
            loop: loop,
            pool: postgres,
            workers: workers,
            database: database,
            settings: settings
        )
        try await store.prompts.setServerPrompt(settings.systemPrompt)
        caches.pages = try await workers.run { Self.openPages(settings, logger) }
        let choices = try await store.models.choices()
        try startEngines(models, source, choices, makeEngine)
        try await server.modelAdministration?.engines?.refresh()
    }

    /// Accepts connections, announces that, and runs until it is told to stop.
    func start(_ sockets: [ListeningSocket], announce: (String) -> Void) async throws {
        try await server.pulls?.resume(mayFetch: settings.modelPull == .administrators)
        let listeners = try accept(from: sockets)
        self.listeners = listeners
        server.metrics.collect(listeners, of: server)
        server.hub.settle = { await listeners.settle() }
        // Before signals are watched and the server is announced as ready: a stop after that finds
        // nothing half done.
        let firstLink = try await makeFirstLink(listeningAt: listeners.address)
        try watchSignals()
        server.nodes.start { [weak signIns = server.signIns] in signIns?.accessChanged(of: $0) }
        server.signIns.start()
        server.modelAdministration?.start()
        startPeriodicWork()
        lifeCycle.start()
        exporter?.start()
        announce("ready \(listeners.place)")
        manager.ready(loop)
        if settings.tlsSelfSigned == .on {
            let fingerprint = try ServerCertificate.fingerprint(ofFile: settings.selfSignedFile)
            announce("certificate fingerprint (SHA-256): \(fingerprint)")
        }
        if let firstLink { announce("first user: \(firstLink)") }
    }

    /// Creates the link for the first user to sign up; nil if there are users.
    private func makeFirstLink(listeningAt address: SocketAddress?) async throws -> String? {
        guard try await !server.store.accounts.hasUsers() else { return nil }
        let token = Token.make()
        try await server.store.accounts.replaceSignUpLink(
            tokenHash: token.hash,
            lifetime: .seconds(24 * 3600)
        )
        let origin = settings.linkOrigin(listeningAt: address)
        let hint = origin.isEmpty ? " (where browsers find the server: --public-url)" : ""
        return "\(origin)/#sign-up=\(token.text)\(hint)"
    }

    private func accept(from sockets: [ListeningSocket]) throws -> ServerListeners {
        try ServerListeners(
            sockets,
            settings,
            tls: try Self.certificates(settings, ticketKeys),
            loop: loop,
            logger: logger
        ) { [server] in server.accept($0) }
    }

    /// Reads the certificates of the settings; nil if there are none.
    static func certificates(
        _ settings: ServerSettings,
        _ ticketKeys: TLSTicketKeys
    ) throws(StartupError) -> TLSServerConfiguration? {
        guard settings.usesTLS else { return nil }
        if settings.tlsSelfSigned == .on { try SelfSignedFile.keep(settings) }
        do {
            return try TLSServerConfiguration(settings.tlsFiles, ticketKeys: ticketKeys)
        } catch {
            throw StartupError(.configuration, "TLS cannot be used: \(error)")
        }
    }

    // MARK: Periodic work

    /// Twice a second: checks the memory of connections, and notes the load. Every hour: deletes expired rows.
    private func startPeriodicWork() {
        loop.spawn { [self] in
            while !isStopping {
                do { try await loop.sleep(for: .milliseconds(500)) } catch { return }
                server.noteLoad()
                await server.shedBuffers()
            }
        }
        if let cluster = database.cluster { loop.spawn { await self.watch(cluster) } }
        loop.spawn { [self] in
            while !isStopping {
                try? await server.store.lifeCycle.deleteExpired()
                do { try await loop.sleep(for: .seconds(3600)) } catch { return }
            }
        }
    }

    /// How often the private cluster is checked while it is unreachable.
    private static let clusterWatchPeriod: Duration = .milliseconds(100)

    /// Restarts the private cluster whenever it has crashed.
    private func watch(_ cluster: PrivateCluster) async {
        while !isStopping {
            do { try await loop.sleep(for: Self.clusterWatchPeriod) } catch { return }
            guard !postgres.isReady, !isStopping else { continue }
            do {
                if try await workers.run({ try cluster.restartIfDead() }) {
                    logger.warning("PostgreSQL crashed and was restarted")
                }
            } catch {
                logger.error("restarting PostgreSQL failed", metadata: ["error": "\(error)"])
                if (error as? ClusterError)?.isDiskFull == true {
                    postgres.recordFullDisk("\(error)")
                }
                do { try await loop.sleep(for: .seconds(2)) } catch { return }
            }
        }
    }
}
