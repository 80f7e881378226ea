// One connection on a loop: libpq without blocking, in pipeline mode. Statements are sent as they
// come and answered in their order. What happens to the connection's bytes is in the extensions:
// +Connecting, +Sending, +Receiving.

import CPostgres
public import EventLoop

/// A connection to PostgreSQL. All of it happens on its loop's thread.
public final class PostgresConnection: ReadinessHandler {
    /// A request that was sent.
    final class Request {
        let answer: LoopPromise<PostgresRows, PostgresError>
        /// The statement, where it is executed or made as a prepared one.
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
    var phase = Phase.connecting
    /// libpq's connection; nil before the start and after the end.
    var handle: OpaquePointer?
    var registration: Registration?
    var timer: TimerToken?
    var queue = PipelineQueue<Request, PostgresRows>()
    var statements: StatementCache
    /// Whether statements were sent that no synchronization follows yet.
    var needsSynchronization = false
    /// Names of prepared statements that made room for others.
    var evicted: [String] = []
    let opened: LoopPromise<Void, PostgresError>
    private let ended: LoopPromise<PostgresError, Never>
    /// When the server last said something, or was first asked.
    var lastProgress: ContinuousClock.Instant
    /// Is told of notifications, on the loop.
    var onNotification: ((PostgresNotification) -> Void)?
    /// Is told when a request has ended, and room for another one is there.
    var onRoom: (() -> Void)?
    /// Is told when the server has refused a statement.
    var onFailure: ((PostgresError) -> Void)?

    /// A connection that is not made yet.
    public init(loop: EventLoop, configuration: PostgresConfiguration) {
        self.loop = loop
        self.configuration = configuration
        statements = StatementCache(countMax: configuration.preparedStatementCountMax)
        opened = LoopPromise(loop)
        ended = LoopPromise(loop)
        lastProgress = loop.now
    }

    deinit {
        // Registered and pending work keep the connection alive: here it can only be an unused one.
        if let handle { PQfinish(handle) }
    }

    /// Whether statements can be sent.
    public var isOpen: Bool { phase == .open }

    /// How many statements are under way.
    public var pendingCount: Int { queue.count }

    /// Executes one statement and returns its rows after it was committed.
    ///
    /// Statements of several tasks may be under way at once. A task that is cancelled while its
    /// statement is under way gets the answer all the same, within the statement timeout: only so
    /// does it learn what was done.
    public func query(
        _ sql: String,
        _ values: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        return try await queryUncancelled(sql, values)
    }

    /// As `query`, for a cancelled task too: a transaction must be ended in any case.
    func queryUncancelled(
        _ sql: String,
        _ values: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        try checkParameters(values)
        let answer = LoopPromise<PostgresRows, PostgresError>(loop)
        send(sql, values, answer)
        // A cancelled task waits for the answer too, which the statement timeout bounds.
        return try await answer.value(cancelled: {})
    }

    /// Waits until the connection has ended, and says why. A cancelled wait ends the connection. To
    /// be called once.
    func end() async -> PostgresError {
        await ended.value(cancelled: { self.end(.cancelled) })
    }

    /// Closes the connection; what is under way fails.
    public func close() { end(.closed) }

    /// Ends the connection, once: everything that waits fails with `error`.
    func end(_ error: PostgresError) {
        guard phase != .ended else { return }
        phase = .ended
        // Before libpq closes the descriptor: its number may be another's a moment later.
        registration?.cancel()
        registration = nil
        timer?.cancel()
        if let handle { PQfinish(handle) }
        handle = nil
        opened.fail(error)
        for request in queue.removeAll() { request.answer.fail(error) }
        ended.succeed(error)
        onNotification = nil
        onRoom = nil
        onFailure = nil
    }

    /// Ends the connection since libpq says that it is broken.
    func endBroken() {
        end(.connectionLost(connectionMessage(handle)))
    }

    /// The descriptor is ready, while connecting or later.
    public func descriptorReady(_ readiness: Readiness) {
        switch phase {
        case .connecting: pollConnecting()
        case .open: receive()
        case .ended: break
        }
    }
}

/// What another session said by NOTIFY.
public struct PostgresNotification: Sendable, Hashable {
    /// The channel.
    public let channel: String
    /// The text that was sent along; may be empty.
    public let payload: String
}
