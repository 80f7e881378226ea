// The services that connections use: one value that each connection gets.

import ChatProtocol
package import ChatStore
package import EventLoop
import Gateway
import Inference
package import Logging
package import Networking
import Postgres
import WebSocketProtocol

/// The server's services on one loop.
package final class Server {
    /// The server's version.
    static let version = "0.1.0"

    let loop: EventLoop
    let store: Store
    let hub: ConversationHub
    let dispatcher: RunDispatcher
    let authenticator: Authenticator
    /// Devices that wait to be signed in by a code.
    let deviceSignIns: DeviceSignIns
    /// Closes connections whose sign-ins have ended.
    let signIns: SignInWatch
    /// Ends sign-ins, and disables users.
    let accounts: Accounts
    let settings: ServerSettings
    let logger: Logger
    /// The server's metrics.
    let metrics = ServerMetrics()
    /// The traces; nil if the settings name no collector.
    let traces: ServerTraces?
    /// The log of slow operations and statements; nil if the settings want none.
    var slowLog: SlowLog?
    let limits = ProtocolLimits.standard
    /// Sends pings, and closes connections that do not respond.
    let keepAlive: KeepAlive
    /// Compresses frames for clients that negotiated it.
    let compression = FrameCompression(FrameCompression.chatSettings)
    /// What all WebSockets have in common.
    let webSocketSettings: WebSocketSettings
    let commonFields: CommonFields
    /// Exchanges notifications with other nodes on the same database.
    let nodes: NodeLink
    /// The OpenID provider; nil if the settings name none.
    var openID: OpenIDProvider?
    /// Readers with share links.
    let readers: SharedReaders
    /// Rate limits of users.
    let rates: UserRates
    /// Clients of OpenAI's API that wait for answers.
    let answerReaders = AnswerReaders()
    /// Imports files of other systems.
    let foreignImports: ForeignImports
    /// Downloads models; nil until the engines have started.
    var pulls: ModelPulls?
    /// Loads and unloads models; nil until the engines have started.
    var modelAdministration: ModelAdministration?
    /// Examines the server for its administrators; nil until it has started.
    var doctor: ServerDoctor?
    /// The prompts that engines have read, in memory and on disk.
    let caches: PromptCaches
    /// KV cache pages on disk; nil if none are stored.
    var pages: PageStore? { caches.pages }
    /// Distinguishes this database from one restored from a backup.
    let epoch: String
    /// When this process started.
    let startedAt = Timestamp.now
    /// Set while the server shuts down: no new WebSockets, and one last request per HTTP
    /// connection.
    private(set) var isDraining = false
    /// The counters of the last seconds.
    var window = LoadWindow()
    /// The host names to which requests may be sent.
    let hostNames: HostNames
    /// The web page's files.
    private let page = PageFiles(.web)
    private var connections: [ObjectIdentifier: any Connection] = [:]
    private var latestConnectionNumber = 0
    /// Number of connections by client address.
    private var places: [String: Int] = [:]

    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        dispatcher: RunDispatcher,
        nodes: NodeLink,
        caches: PromptCaches,
        authenticator: Authenticator,
        foreignImports: ForeignImports,
        settings: ServerSettings,
        epoch: String,
        logger: Logger
    ) {
        self.loop = loop
        keepAlive = KeepAlive(loop: loop)
        let frameBytes = limits.frameBytes
        webSocketSettings = WebSocketSettings(
            role: .server,
            limits: WebSocketLimits(frameBytesMax: frameBytes, messageBytesMax: frameBytes),
            states: compression.states
        )
        self.store = store
        readers = SharedReaders(loop: loop, store: store)
        rates = UserRates(loop: loop, settings: settings)
        self.hub = hub
        self.dispatcher = dispatcher
        self.nodes = nodes
        self.caches = caches
        self.authenticator = authenticator
        self.foreignImports = foreignImports
        signIns = SignInWatch(
            loop: loop,
            store: store,
            nodes: nodes,
            lifetime: settings.sessionLifetime
        )
        accounts = Accounts(store: store, signIns: signIns)
        deviceSignIns = DeviceSignIns(
            loop: loop,
            store: store,
            lifetime: settings.sessionLifetime
        )
        self.settings = settings
        commonFields = CommonFields(
            strictTransportSecurity: settings.strictTransportSecurity
        )
        traces = settings.tracesEndpoint.map { _ in
            ServerTraces(ratio: settings.tracesRatio, continuedFrom: settings.tracesFrom)
        }
        dispatcher.tracer = traces?.tracer
        hostNames = HostNames(settings)
        self.epoch = epoch
        self.logger = logger
        metrics.collect(self)
    }

    /// The models and their states.
    var board: ModelBoard { dispatcher.pool?.board ?? ModelBoard() }

    var queueLimits: QueueLimits {
        // All rows are counted only if the copy in memory says that the queue may be nearly full.
        let isNearlyFull = dispatcher.positions.queueCount >= settings.queueLimit / 2
        return QueueLimits(
            total: isNearlyFull ? settings.queueLimit : nil,
            perUser: min(settings.queueLimitPerUser, settings.queueLimit),
            perTeam: settings.queueLimitPerTeam == 0 ? .max : settings.queueLimitPerTeam,
            answerTokens: settings.maxTokens,
            answerTokensMin: settings.answerTokensMin,
            uncountedPromptTokens: dispatcher.uncountedPromptTokens,
            budgetPerUser: settings.budgetPerUser
        )
    }

    /// Runs `body`; if it throws because the queue is full, adds the time after which a retry may
    /// help.
    func withHonestRetry<Value>(
        of user: UserID,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch var error as WireError where error.code == .busy {
            if let seconds = dispatcher.positions.secondsUntilRoom(for: user) {
                error.retryAfter = seconds
            }
            throw error
        }
    }

    /// The error for the client, whatever was thrown.
    func wireError(_ error: any Error, in request: RequestID) -> WireError {
        switch error {
        case let error as WireError:
            return error
        case let error as PostgresError
        where error.sqlState == .diskFull || (error.isTransient && store.isDiskFull):
            return WireError(
                .unavailable,
                "the server's disk is full: no changes were made; its administrator has to free space",
                retryAfter: 5
            )
        case let error as PostgresError where error.isTransient:
            return WireError(
                .unavailable,
                "database unavailable; no changes were made",
                retryAfter: 1
            )
        case let error as PostgresError where error.isUnrepresentableText:
            return WireError(.badRequest, "a text holds a character that cannot be stored")
        default:
            logger.error(
                "request failed",
                metadata: ["request": "\(request)", "error": "\(error)"]
            )
            return WireError(.internalError, "internal server error: see the server log")
        }
    }

    // MARK: Connections

    /// A connection that must end when the server shuts down.
    protocol Connection: AnyObject {
        /// The address that it is counted for: its peer, or the client behind a proxy; nil if
        /// unknown.
        var peer: String? { get }
        /// Bytes waiting for the client to read what was sent before.
        var queuedByteCount: Int { get }
        /// Bytes in its buffers: unsent output and incomplete input.
        var bufferedByteCount: Int { get }
        /// Finishes current work and closes.
        func drain()
        /// Closes at once.
        func cutOff()
    }

    /// Serves a new connection, or closes it if its address has too many.
    package func accept(_ stream: ByteStream) {
        // The server may have begun to shut down while a PROXY header was read.
        guard !isDraining, !hasTooManyConnections(stream.peer.host) else { return stream.close() }
        let router = Router(server: self, page: page)
        stream.handler = HTTPHandler(stream, server: self, router: router)
    }

    /// A unique number for a connection.
    func numberConnection() -> Int {
        latestConnectionNumber += 1
        return latestConnectionNumber
    }

    func add(_ connection: any Connection) {
        connections[ObjectIdentifier(connection)] = connection
        if let place = ClientAddress.place(connection.peer) { places[place, default: 0] += 1 }
    }

    func remove(_ connection: any Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil,
            let place = ClientAddress.place(connection.peer), let count = places[place]
        else { return }
        places[place] = count > 1 ? count - 1 : nil
    }

    /// Whether an address has reached its limit of connections. Loopback addresses and trusted
    /// proxies carry connections of many users and are not limited.
    func hasTooManyConnections(_ address: String?) -> Bool {
        guard settings.connectionsPerAddress > 0, let address,
            let place = ClientAddress.place(address),
            places[place, default: 0] >= settings.connectionsPerAddress
        else { return false }
        return !(Self.ownAddresses + settings.trustedProxies).contains { $0.contains(address) }
    }

    private static let ownAddresses = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)

    /// Throws if a user has reached the limit of connections.
    func requireRoom(for user: UserID) throws(WireError) {
        let limit = settings.connectionsPerUser
        guard limit > 0, signIns.holderCount(of: user) >= limit else { return }
        throw WireError(.rateLimited, "more than \(limit) connections of one user", retryAfter: 10)
    }

    /// Throws if an address behind a proxy has reached the limit of WebSockets.
    func requireRoom(at address: String?) throws(WireError) {
        guard hasTooManyConnections(address) else { return }
        let limit = settings.connectionsPerAddress
        throw WireError(
            .rateLimited,
            "more than \(limit) connections of one address",
            retryAfter: 10
        )
    }

    var connectionCount: Int { connections.count }

    /// Whether an HTTP response is due.
    var isAnswering: Bool {
        connections.values.contains { ($0 as? HTTPHandler)?.isAwaited == true }
    }

    /// Unsent bytes of all clients. Many connections are summed in parts, each in a loop turn of
    /// its own, as in `shedBuffers`.
    package func unsentByteCount() async -> Int {
        var sum = 0
        for part in Array(connections.values).parts(of: 1000) {
            sum += part.reduce(0) { $0 + $1.queuedByteCount }
            do { try await loop.sleep(for: .zero) } catch { return sum }
        }
        return sum
    }

    /// Closes connections until the buffers of all together are within the limit. Clients
    /// reconnect; what was acknowledged is in the database.
    func shedBuffers() async {
        let limit = settings.connectionMebibytes << 20
        // If the whole process uses less, no sum is needed. Otherwise connections are summed in
        // parts: 20,000 at once would take milliseconds.
        if let all = AnonymousMemory.byteCount, all <= limit { return }
        var sum = 0
        for part in Array(connections.values).parts(of: 1000) {
            sum += part.reduce(0) { $0 + $1.bufferedByteCount }
            do { try await loop.sleep(for: .milliseconds(5)) } catch { return }
        }
        guard sum > limit else { return }
        let all = Array(connections.values)
        let surplus = BufferCeiling.surplus(of: all.map { $0.bufferedByteCount }, above: limit)
        logger.warning(
            "memory limit of connection buffers reached; closing connections",
            metadata: ["count": "\(surplus.count)", "limit": "\(limit)"]
        )
        for index in surplus { all[index].cutOff() }
    }

    /// Lets HTTP connections finish responses that are due, and closes idle ones. WebSockets stay
    /// open for running answers.
    package func beginDraining() {
        isDraining = true
        for case let connection as HTTPHandler in connections.values { connection.drain() }
    }

    /// Asks all connections to close, in random order spread over `period`, so that not all clients
    /// reconnect at once.
    func drain(over period: Duration) async {
        let start = loop.now
        let waiting = connections.values.shuffled()
        for (index, connection) in waiting.enumerated() {
            let pause = period * index / waiting.count - (loop.now - start)
            if pause > .zero {
                do { try await loop.sleep(for: pause) } catch { return }
            }
            connection.drain()
        }
    }
}
