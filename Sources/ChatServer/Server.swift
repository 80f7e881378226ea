// What the parts of the server share: one value that is handed to each connection.

import ChatProtocol
package import ChatStore
package import EventLoop
import Gateway
import Inference
package import Logging
package import Networking
import Postgres

/// The server's parts on one loop, as its connections reach them.
package final class Server {
    /// What this server calls itself.
    static let version = "0.1.0"

    let loop: EventLoop
    let store: Store
    let hub: ConversationHub
    let dispatcher: RunDispatcher
    let authenticator: Authenticator
    /// Closes connections whose sign-ins have ended.
    let signIns: SignInWatch
    /// Ends sign-ins, and disables users.
    let accounts: Accounts
    let settings: ServerSettings
    let logger: Logger
    /// What was counted.
    let metrics = ServerMetrics()
    let limits = ProtocolLimits.standard
    /// Pings clients, and finds those that have fallen silent.
    let keepAlive: KeepAlive
    /// Compresses frames for those who want that.
    let compression = FrameCompression(FrameCompression.chatSettings)
    /// Ties this node to the others on the same database.
    let nodes: NodeLink
    /// The provider that people may sign in with; nil where the settings name none.
    var openID: OpenIDProvider?
    /// Those who read by links.
    let readers: SharedReaders
    /// How often users may ask for what costs.
    let rates: UserRates
    /// Reads other systems' files.
    let foreignImports: ForeignImports
    /// Fetches models; nil before the server has its engines.
    var pulls: ModelPulls?
    /// Keeps what engines have read on the disk; nil where nothing is kept there.
    var pages: PageStore?
    /// Tells this database from one restored from a backup.
    let epoch: String
    /// When this life of the server began.
    let startedAt = Timestamp.now
    /// Set while the server is shutting down: no new WebSocket, and one more request of each HTTP connection.
    private(set) var isDraining = false
    /// The names that requests may be sent to.
    let hostNames: HostNames
    /// The page's files.
    private let page = PageFiles(.web)
    private var connections: [ObjectIdentifier: any Connection] = [:]
    private var latestConnectionNumber = 0
    /// How many connections there are from each place.
    private var places: [String: Int] = [:]

    package init(
        loop: EventLoop,
        store: Store,
        hub: ConversationHub,
        dispatcher: RunDispatcher,
        nodes: NodeLink,
        authenticator: Authenticator,
        foreignImports: ForeignImports,
        settings: ServerSettings,
        epoch: String,
        logger: Logger
    ) {
        self.loop = loop
        keepAlive = KeepAlive(loop: loop)
        self.store = store
        readers = SharedReaders(loop: loop, store: store)
        rates = UserRates(loop: loop, settings: settings)
        self.hub = hub
        self.dispatcher = dispatcher
        self.nodes = nodes
        self.authenticator = authenticator
        self.foreignImports = foreignImports
        signIns = SignInWatch(
            loop: loop,
            store: store,
            nodes: nodes,
            lifetime: settings.sessionLifetime
        )
        accounts = Accounts(store: store, signIns: signIns)
        self.settings = settings
        hostNames = HostNames(settings)
        self.epoch = epoch
        self.logger = logger
        metrics.collect(self)
    }

    /// The models, and what each is doing.
    var board: ModelBoard { dispatcher.pool?.board ?? ModelBoard() }

    var queueLimits: QueueLimits {
        // Counting all rows is left out while the copy in memory says that they are far fewer.
        let isNearlyFull = dispatcher.queueCount >= settings.queueLimit / 2
        return QueueLimits(
            total: isNearlyFull ? settings.queueLimit : nil,
            perUser: min(settings.queueLimitPerUser, settings.queueLimit),
            perTeam: settings.queueLimitPerTeam == 0 ? .max : settings.queueLimitPerTeam,
            answerTokens: settings.maxTokens,
            budgetPerUser: settings.budgetPerUser
        )
    }

    /// Runs `body`; where it refuses because the queue is full, the refusal says when it is worth
    /// trying again.
    func withHonestRetry<Value>(
        of user: UserID,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch var error as WireError where error.code == .busy {
            if let seconds = dispatcher.secondsUntilRoom(for: user) { error.retryAfter = seconds }
            throw error
        }
    }

    /// What a client is told of an error, whatever it was.
    func wireError(_ error: any Error, in request: RequestID) -> WireError {
        switch error {
        case let error as WireError:
            return error
        case let error as PostgresError where error.sqlState == .diskFull:
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

    /// A connection of any kind that must end when the server does.
    protocol Connection: AnyObject {
        /// The address that it is counted for: the other end's, or the client's behind it; nil where
        /// nobody knows.
        var peer: String? { get }
        /// How many bytes wait for the other end to take what was sent before.
        var queuedByteCount: Int { get }
        /// How many bytes it holds: what was not sent, and what has not come wholly.
        var bufferedByteCount: Int { get }
        /// Finishes what is under way and closes.
        func drain()
        /// Closes at once.
        func cutOff()
    }

    /// Serves who has connected, or closes the stream where there is no room.
    package func accept(_ stream: ByteStream) {
        // A proxy's header may have been read while the server began to go down.
        guard !isDraining, !isCrowded(stream.peer.host) else { return stream.close() }
        let router = Router(server: self, page: page)
        stream.handler = HTTPHandler(stream, server: self, router: router)
    }

    /// A number that no other connection of this server has had.
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

    /// Whether an address has all the connections that it may have. This machine's own, and those of
    /// trusted proxies, stand for many people and are not bounded.
    func isCrowded(_ address: String?) -> Bool {
        guard settings.connectionsPerAddress > 0, let address,
            let place = ClientAddress.place(address),
            places[place, default: 0] >= settings.connectionsPerAddress
        else { return false }
        return !(Self.ownAddresses + settings.trustedProxies).contains { $0.contains(address) }
    }

    private static let ownAddresses = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)

    /// Refuses one more connection of a user who has all that they may have.
    func requireRoom(for user: UserID) throws(WireError) {
        let limit = settings.connectionsPerUser
        guard limit > 0, signIns.holderCount(of: user) >= limit else { return }
        throw WireError(.rateLimited, "more than \(limit) connections of one user", retryAfter: 10)
    }

    /// Refuses one more WebSocket of an address behind a proxy that has all that it may have.
    func requireRoom(at address: String?) throws(WireError) {
        guard isCrowded(address) else { return }
        let limit = settings.connectionsPerAddress
        throw WireError(
            .rateLimited,
            "more than \(limit) connections of one address",
            retryAfter: 10
        )
    }

    var connectionCount: Int { connections.count }

    /// Whether a response over HTTP is due.
    var isAnswering: Bool {
        connections.values.contains { ($0 as? HTTPHandler)?.isAwaited == true }
    }

    /// How many bytes wait for all clients. A crowd is asked in parts, each in a turn of its own, as in
    /// `shedBuffers`.
    package func unsentByteCount() async -> Int {
        var sum = 0
        for part in Array(connections.values).parts(of: 1000) {
            sum += part.reduce(0) { $0 + $1.queuedByteCount }
            do { try await loop.sleep(for: .zero) } catch { return sum }
        }
        return sum
    }

    /// Cuts connections off until all together hold no more than they may. The clients come back; what was
    /// acknowledged is in the database.
    func shedBuffers() async {
        let limit = settings.connectionMebibytes << 20
        // Where the whole process has less, nobody has more. Else a crowd is asked in parts, as all
        // 20,000 at once would take milliseconds.
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

    /// Lets HTTP connections end with the responses that are due, and idle ones now. WebSockets stay,
    /// for what still grows.
    package func beginDraining() {
        isDraining = true
        for case let connection as HTTPHandler in connections.values { connection.drain() }
    }

    /// Asks every connection to end, one after the other in no order within `period`, so that not all
    /// come back at once.
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
