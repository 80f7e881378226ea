// A pool of connections. Single statements share connections, pipelined; a transaction leases one.
// Whoever finds no room waits in a bounded line until a deadline: that is the pool's back-pressure.
// Connections that are lost are made again; while PostgreSQL is away, queries wait for it as long.

public import EventLoop
public import Instruments
public import Logging

/// Connections to one database. All of it happens on its loop's thread. `close()` it in the end:
/// its connections keep it alive until then.
public final class PostgresPool {
    /// Told on the loop when PostgreSQL becomes reachable (true) or unreachable (false).
    public var onStateChange: ((Bool) -> Void)?

    /// From asking to the answer of single statements, with the wait for a connection.
    public private(set) var statementTimes = Histogram.ofSeconds
    /// From asking to the end of transactions, with the wait for a connection; each attempt counts.
    public internal(set) var transactionTimes = Histogram.ofSeconds

    /// Whether the server's disk is full, so that tables cannot grow: from the first statement that failed
    /// for that until there is space again.
    public internal(set) var isDiskFull = false
    /// Looks at a full disk; nil while there is space.
    var diskWatch: LoopTask?

    let loop: EventLoop
    let configuration: PostgresConfiguration
    let logger: Logger
    private var slots: [PoolSlot] = []
    private var statementWaiters = PoolWaiters()
    private var leaseWaiters = PoolWaiters()
    private var isClosed = false
    private var wasReady = false
    private var latestFailure: PostgresError?

    /// A pool that starts to connect at once.
    public init(loop: EventLoop, configuration: PostgresConfiguration, logger: Logger) {
        precondition(configuration.connectionCount > 0, "a pool has at least one connection")
        precondition(configuration.pipelineDepth > 0, "a pipeline has room for one statement")
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        slots = (0..<configuration.connectionCount).map { _ in
            PoolSlot(loop: loop, configuration: configuration)
        }
        for slot in slots {
            slot.start { [weak self] slot, reason in self?.slotChanged(slot, reason) }
        }
    }

    /// Whether the pool has a connection to PostgreSQL now.
    public var isReady: Bool { slots.contains { $0.connection?.isOpen == true } }

    /// How many connections are open.
    public var openCount: Int { slots.count(where: { $0.connection?.isOpen == true }) }

    /// How many connections a transaction has, or statements are under way on.
    public var usedCount: Int { slots.count(where: { $0.isLeased || pendingCount($0) > 0 }) }

    /// How many queries and transactions wait for their turn.
    public var waitingCount: Int { statementWaiters.count + leaseWaiters.count }

    /// Executes one statement and returns its rows after it was committed.
    ///
    /// The statement is prepared once on each connection, by its text. A task that is cancelled
    /// while it waits its turn gets `cancelled` at once; later it gets the answer all the same.
    /// - Throws: `unavailable` or `poolFull` where no connection was free within the deadline.
    public func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        if isClosed { throw .closed }
        try checkParameters(parameters)
        let askedAt = loop.now
        defer { statementTimes.record(loop.now - askedAt) }
        let answer = LoopPromise<PostgresRows, PostgresError>(loop)
        if statementWaiters.isEmpty, let slot = slotForStatement() {
            slot.connection?.send(sql, parameters, answer)
            return try await answer.value(cancelled: {})
        }
        let waiter = PoolWaiter(
            serve: { slot in slot.connection?.send(sql, parameters, answer) },
            refuse: { error in answer.fail(error) }
        )
        try wait(waiter, in: \.statementWaiters)
        return try await answer.value(cancelled: {
            if waiter.isWaiting { self.refuse(waiter, .cancelled, in: \.statementWaiters) }
        })
    }

    /// Ends all connections; what waits or is under way fails with `closed`.
    public func close() async {
        isClosed = true
        diskWatch?.cancel()
        for waiters in [\PostgresPool.statementWaiters, \PostgresPool.leaseWaiters] {
            while let waiter = self[keyPath: waiters].popFirst() { waiter.refuse(.closed) }
        }
        for slot in slots {
            slot.connection?.close()
            await slot.stop()
        }
    }

    // MARK: Leases

    /// Gives a connection to the caller alone, for a transaction.
    func lease() async throws(PostgresError) -> PoolSlot {
        if Task.isCancelled { throw .cancelled }
        if isClosed { throw .closed }
        if leaseWaiters.isEmpty, let slot = slotForLease() {
            slot.isLeased = true
            return slot
        }
        let turn = LoopPromise<PoolSlot, PostgresError>(loop)
        let waiter = PoolWaiter(
            serve: { slot in
                slot.isLeased = true
                turn.succeed(slot)
            },
            refuse: { error in turn.fail(error) }
        )
        try wait(waiter, in: \.leaseWaiters)
        return try await turn.value(cancelled: {
            if waiter.isWaiting { self.refuse(waiter, .cancelled, in: \.leaseWaiters) }
        })
    }

    /// Takes a leased connection back.
    func giveBack(_ slot: PoolSlot) {
        slot.isLeased = false
        serveWaiters()
    }

    // MARK: Room

    /// The open connection with the fewest statements under way that has room for another.
    private func slotForStatement() -> PoolSlot? {
        let slot = openSlots.min { pendingCount($0) < pendingCount($1) }
        guard let slot, pendingCount(slot) < configuration.pipelineDepth else { return nil }
        return slot
    }

    /// A connection for a transaction. Where there are several, one is left to single statements.
    /// Statements that are under way on it are answered first.
    private func slotForLease() -> PoolSlot? {
        let open = openSlots
        guard open.count > (slots.count > 1 ? 1 : 0) else { return nil }
        return open.min { pendingCount($0) < pendingCount($1) }
    }

    private var openSlots: [PoolSlot] {
        slots.filter { !$0.isLeased && $0.connection?.isOpen == true }
    }

    private func pendingCount(_ slot: PoolSlot) -> Int { slot.connection?.pendingCount ?? 0 }

    // MARK: Waiting

    private typealias Line = ReferenceWritableKeyPath<PostgresPool, PoolWaiters>

    private func wait(_ waiter: PoolWaiter, in line: Line) throws(PostgresError) {
        guard waitingCount < configuration.waitingCountMax else { throw .poolFull }
        waiter.timer = loop.schedule(after: configuration.waitDeadline) { [self] in
            let error: PostgresError =
                isReady
                ? .poolFull : .unavailable(retryAfter: configuration.reconnectPause.upperBound)
            refuse(waiter, error, in: line)
        }
        self[keyPath: line].append(waiter)
    }

    private func refuse(_ waiter: PoolWaiter, _ error: PostgresError, in line: Line) {
        self[keyPath: line].remove(waiter)
        waiter.refuse(error)
    }

    private func serveWaiters() {
        while !leaseWaiters.isEmpty, let slot = slotForLease() {
            leaseWaiters.popFirst()?.serve(slot)
        }
        while !statementWaiters.isEmpty, let slot = slotForStatement() {
            statementWaiters.popFirst()?.serve(slot)
        }
    }

    // MARK: Connections come and go

    private func slotChanged(_ slot: PoolSlot, _ reason: PostgresError?) {
        slot.connection?.onRoom = { [weak self] in self?.serveWaiters() }
        slot.connection?.onFailure = { [weak self] in self?.noteFailure($0) }
        let isReady = isReady
        if isReady != wasReady, !isClosed {
            wasReady = isReady
            if isReady {
                logger.info("connected to PostgreSQL", metadata: ["database": "\(configuration)"])
            } else {
                logger.warning(
                    "connection to PostgreSQL lost",
                    metadata: ["reason": "\(reason.map { "\($0)" } ?? "")"]
                )
            }
            onStateChange?(isReady)
        } else if let reason, !isReady, !isClosed, reason != latestFailure {
            // Said once for each reason, not for each attempt.
            logger.warning("cannot connect to PostgreSQL", metadata: ["reason": "\(reason)"])
        }
        latestFailure = isReady ? nil : reason
        serveWaiters()
    }
}
