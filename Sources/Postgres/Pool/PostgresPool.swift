// A pool of connections. Single statements share connections, pipelined; a transaction leases one.
// If no connection is free, callers wait in a bounded queue with a timeout, which is the pool's
// back-pressure. Lost connections are reopened; while PostgreSQL is unavailable, queries wait up to
// the same timeout.

public import EventLoop
public import Instruments
public import Logging

/// A pool of connections to one database. Lives on its loop. Call `close()` at the end: its
/// connections retain it until then.
public final class PostgresPool {
    /// Called on the loop when PostgreSQL becomes reachable (true) or unreachable (false).
    public var onStateChange: ((Bool) -> Void)?

    /// Called on the loop, in the caller's task, with each statement that has ended; nil to measure
    /// none.
    public var onStatement: ((TimedStatement) -> Void)?

    /// Durations of single statements, including the wait for a connection.
    public private(set) var statementTimes = Histogram.ofSeconds
    /// Durations of transactions, including the wait for a connection; each attempt counts.
    public internal(set) var transactionTimes = Histogram.ofSeconds

    /// Whether the server's disk is full, so that tables cannot grow: from the first statement that
    /// failed because of that until there is space again.
    public internal(set) var isDiskFull = false
    /// Checks a full disk; nil while there is space.
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

    /// Creates a pool, which starts to connect at once.
    public init(loop: EventLoop, configuration: PostgresConfiguration, logger: Logger) {
        precondition(configuration.connectionCount > 0, "a pool has at least one connection")
        precondition(configuration.pipelineDepth > 0, "a pipeline has room for one statement")
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        let hosts = HostOrder(configuration.hosts)
        slots = (0..<configuration.connectionCount).map { _ in
            PoolSlot(loop: loop, configuration: configuration, hosts: hosts)
        }
        for slot in slots {
            slot.start { [weak self] slot, reason in self?.slotChanged(slot, reason) }
        }
    }

    /// Whether the pool has a connection to PostgreSQL now.
    public var isReady: Bool { slots.contains { $0.connection?.isOpen == true } }

    /// The number of open connections.
    public var openCount: Int { slots.count(where: { $0.connection?.isOpen == true }) }

    /// The number of connections that are leased or have pending statements.
    public var usedCount: Int { slots.count(where: { $0.isLeased || pendingCount($0) > 0 }) }

    /// The number of waiting queries and transactions.
    public var waitingCount: Int { statementWaiters.count + leaseWaiters.count }

    /// Executes one statement and returns its rows after the commit.
    ///
    /// The statement is prepared once on each connection, by its text. A task that is cancelled
    /// while it waits for a connection gets `cancelled` at once; later it gets the result.
    /// - Parameters:
    ///   - sql: the statement.
    ///   - parameters: the values of $1, $2 and so on.
    ///   - name: its name for `onStatement`.
    /// - Returns: its rows.
    /// - Throws: `unavailable` or `poolFull` if no connection was free in time.
    public func query(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        as name: StatementName? = nil
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        if isClosed { throw .closed }
        try checkParameters(parameters)
        let startedAt = loop.now
        var waiter: PoolWaiter?
        defer {
            statementTimes.record(loop.now - startedAt)
            if let onStatement {
                let sentAt = waiter?.endedAt(loop.now) ?? startedAt
                onStatement(
                    TimedStatement(
                        name: name,
                        sql: sql,
                        parameters: parameters,
                        wait: sentAt - startedAt,
                        execution: loop.now - sentAt
                    )
                )
            }
        }
        let answer = LoopPromise<PostgresRows, PostgresError>(loop)
        if statementWaiters.isEmpty, let slot = slotForStatement() {
            slot.connection?.send(sql, parameters, answer)
            return try await answer.value(cancelled: {})
        }
        let turn = PoolWaiter(
            serve: { [loop] slot, waiter in
                waiter.servedAt = loop.now
                slot.connection?.send(sql, parameters, answer)
            },
            refuse: { error in answer.fail(error) }
        )
        waiter = turn
        try wait(turn, in: \.statementWaiters)
        return try await answer.value(cancelled: {
            if turn.isWaiting { self.refuse(turn, .cancelled, in: \.statementWaiters) }
        })
    }

    /// Closes all connections; waiting and pending statements fail with `closed`.
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

    /// Leases a connection, for a transaction.
    func lease() async throws(PostgresError) -> PoolSlot {
        if Task.isCancelled { throw .cancelled }
        if isClosed { throw .closed }
        if leaseWaiters.isEmpty, let slot = slotForLease() {
            slot.isLeased = true
            return slot
        }
        let turn = LoopPromise<PoolSlot, PostgresError>(loop)
        let waiter = PoolWaiter(
            serve: { slot, _ in
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

    /// Returns a leased connection to the pool.
    func release(_ slot: PoolSlot) {
        slot.isLeased = false
        serveWaiters()
    }

    // MARK: Free connections

    /// The open connection with the fewest pending statements that has capacity for another.
    private func slotForStatement() -> PoolSlot? {
        let slot = openSlots.min { pendingCount($0) < pendingCount($1) }
        guard let slot, pendingCount(slot) < configuration.pipelineDepth else { return nil }
        return slot
    }

    /// A connection for a transaction. If there are several, one is left for single statements.
    /// Pending statements on it are answered first.
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

    private typealias WaitQueue = ReferenceWritableKeyPath<PostgresPool, PoolWaiters>

    private func wait(_ waiter: PoolWaiter, in queue: WaitQueue) throws(PostgresError) {
        guard waitingCount < configuration.waitingCountMax else { throw .poolFull }
        waiter.timer = loop.schedule(after: configuration.waitDeadline) { [self] in
            let error: PostgresError =
                isReady
                ? .poolFull : .unavailable(retryAfter: configuration.reconnectPause.upperBound)
            refuse(waiter, error, in: queue)
        }
        self[keyPath: queue].append(waiter)
    }

    private func refuse(_ waiter: PoolWaiter, _ error: PostgresError, in queue: WaitQueue) {
        self[keyPath: queue].remove(waiter)
        waiter.refuse(error)
    }

    private func serveWaiters() {
        while !leaseWaiters.isEmpty, let slot = slotForLease() {
            leaseWaiters.popFirst()?.serve(with: slot)
        }
        while !statementWaiters.isEmpty, let slot = slotForStatement() {
            statementWaiters.popFirst()?.serve(with: slot)
        }
    }

    // MARK: Connection changes

    private func slotChanged(_ slot: PoolSlot, _ reason: PostgresError?) {
        slot.connection?.onRoom = { [weak self] in self?.serveWaiters() }
        slot.connection?.onFailure = { [weak self] in self?.recordFailure($0) }
        if configuration.hasSeveralHosts, let primary = slot.connection?.host {
            // It has just shown that it accepts writes. What is connected elsewhere is behind.
            for other in slots { other.connection?.leave(for: primary) }
        }
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
            // Logged once for each reason, not for each attempt.
            logger.warning("cannot connect to PostgreSQL", metadata: ["reason": "\(reason)"])
        }
        latestFailure = isReady ? nil : reason
        serveWaiters()
    }
}
