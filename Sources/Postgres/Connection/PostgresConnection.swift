// A connection on a loop: non-blocking libpq in pipeline mode. Statements are sent at once and
// answered in order. The extensions +Connecting, +Sending and +Receiving do the I/O, +Primary leaves
// a server that is not the primary any more.

import CPostgres
public import EventLoop

/// A connection to PostgreSQL. Lives on its loop.
public final class PostgresConnection: ReadinessHandler {
    /// A sent request.
    final class Request {
        let answer: LoopPromise<PostgresRows, PostgresError>
        /// The statement, if it is prepared or being prepared.
        let key: StatementKey?

        init(_ answer: LoopPromise<PostgresRows, PostgresError>, key: StatementKey?) {
            self.answer = answer
            self.key = key
        }
    }

    enum Phase {
        case connecting
        case open
        case ended
    }

    let loop: EventLoop
    let configuration: PostgresConfiguration
    /// The servers to try.
    let hosts: HostOrder
    /// The server that it is connected to; nil before that.
    var host: DatabaseHost?
    var phase = Phase.connecting
    /// libpq's connection; nil before the start and after the end.
    var handle: OpaquePointer?
    var registration: Registration?
    var timer: TimerToken?
    var queue = PipelineQueue<Request, PostgresRows>()
    var statements: StatementCache
    /// Whether statements were sent without a Sync after them.
    var needsSynchronization = false
    /// Names of evicted prepared statements.
    var evicted: [String] = []
    /// The current attempt to look a host up or to connect to it.
    var pendingAttempt: LoopPromise<Void, PostgresError>?
    var lookup: LoopTask?
    /// Looks for another primary while the server does not answer.
    var search: LoopTask?
    /// Whether the server has refused a write because it is read-only.
    var hasRefusedToWrite = false
    private let ended: LoopPromise<PostgresError, Never>
    /// When the server last sent something, or the first request was sent.
    var lastProgress: ContinuousClock.Instant
    /// Called with notifications, on the loop.
    var onNotification: ((PostgresNotification) -> Void)?
    /// Called when a request has ended, so that another one can be sent.
    var onRoom: (() -> Void)?
    /// Called when the server has refused a statement.
    var onFailure: ((PostgresError) -> Void)?

    /// Creates an unconnected connection.
    public convenience init(loop: EventLoop, configuration: PostgresConfiguration) {
        self.init(
            loop: loop,
            configuration: configuration,
            hosts: HostOrder(configuration.hosts)
        )
    }

    /// Creates an unconnected connection that shares its knowledge of the servers with others.
    init(loop: EventLoop, configuration: PostgresConfiguration, hosts: HostOrder) {
        self.loop = loop
        self.configuration = configuration
        self.hosts = hosts
        statements = StatementCache(countMax: configuration.preparedStatementCountMax)
        ended = LoopPromise(loop)
        lastProgress = loop.now
    }

    deinit {
        // Registrations and pending work retain the connection, so this one is unused.
        if let handle { PQfinish(handle) }
    }

    /// Whether statements can be sent.
    public var isOpen: Bool { phase == .open }

    /// The number of pending statements.
    public var pendingCount: Int { queue.count }

    /// Executes one statement and returns its rows after the commit.
    ///
    /// Several tasks may have pending statements. A task that is cancelled while its statement is
    /// pending still waits for the result, at most for the statement timeout, so that it knows what
    /// was done.
    public func query(
        _ sql: String,
        _ values: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        return try await queryUncancelled(sql, values)
    }

    /// Like `query`, but also runs in a cancelled task: a transaction must be ended in any case.
    func queryUncancelled(
        _ sql: String,
        _ values: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        try checkParameters(values)
        let answer = LoopPromise<PostgresRows, PostgresError>(loop)
        send(sql, values, answer)
        // A cancelled task also waits; the statement timeout limits it.
        return try await answer.value(cancelled: {})
    }

    /// Waits until the connection has ended, and returns the reason. Cancelling the wait closes the
    /// connection. Call it once.
    func end() async -> PostgresError {
        await ended.value(cancelled: { self.end(.cancelled) })
    }

    /// Closes the connection; pending statements fail.
    public func close() { end(.closed) }

    /// Ends the connection once: all pending requests fail with `error`.
    func end(_ error: PostgresError) {
        guard phase != .ended else { return }
        phase = .ended
        // Before libpq closes the descriptor, since its number may be reused at once.
        registration?.cancel()
        registration = nil
        timer?.cancel()
        timer = nil
        lookup?.cancel()
        search?.cancel()
        if let handle { PQfinish(handle) }
        handle = nil
        pendingAttempt?.fail(error)
        for request in queue.removeAll() { request.answer.fail(error) }
        ended.succeed(error)
        onNotification = nil
        onRoom = nil
        onFailure = nil
    }

    /// Ends the connection because libpq reports that it is broken.
    func endBroken() {
        end(.connectionLost(connectionMessage(handle)))
    }

    /// The descriptor is ready, while connecting or later.
    package func descriptorReady(_ readiness: Readiness) {
        switch phase {
        case .connecting: pollConnecting()
        case .open: receive()
        case .ended: break
        }
    }
}

/// A notification from another session (NOTIFY).
public struct PostgresNotification: Sendable, Hashable {
    /// The channel.
    public let channel: String
    /// The payload; may be empty.
    public let payload: String
}
