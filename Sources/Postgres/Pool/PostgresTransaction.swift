// The transaction object for the body.

import EventLoop

/// Executes statements in one transaction. It must not be used after the body has returned.
public final class PostgresTransaction {
    private let connection: PostgresConnection
    private let loop: EventLoop
    private let isolation: PostgresIsolation
    private var hasBegun = false
    private var isActive = true
    /// The sent statements whose results have not been awaited, oldest first.
    private var sent: [LoopPromise<PostgresRows, PostgresError>] = []
    /// What the timing of statements needs; nil if nobody wants it.
    private var timing: StatementTiming?
    /// The first error of a statement; it decides whether the transaction may be retried.
    private(set) var failure: PostgresError?

    init(_ connection: PostgresConnection, loop: EventLoop, isolation: PostgresIsolation) {
        self.connection = connection
        self.loop = loop
        self.isolation = isolation
    }

    /// Reports statements to `receive`, the first one with the wait for the connection.
    func observe(_ receive: ((TimedStatement) -> Void)?, wait: Duration) {
        timing = receive.map { StatementTiming(wait: wait, receive: $0) }
    }

    /// A pending statement of a transaction.
    public struct Sent {
        fileprivate let transaction: PostgresTransaction
        fileprivate let answer: LoopPromise<PostgresRows, PostgresError>

        /// Waits for the statement's rows.
        /// - Throws: the error of this statement, or of an earlier one that was not awaited.
        public func rows() async throws(PostgresError) -> PostgresRows {
            try await transaction.settle(upTo: answer)
            return try await answer.value(cancelled: {})
        }
    }

    /// Executes one statement in the transaction, as the pool's `query` does.
    /// - Throws: `closed` after the transaction's end, otherwise like the pool's `query`; also the
    ///   error of an earlier sent statement.
    public func query(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        as name: StatementName? = nil
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        return try await send(sql, parameters, as: name).rows()
    }

    /// Sends one statement without waiting for its result, so that independent statements, and the
    /// commit, share one round trip.
    ///
    /// Its result, or error, is returned by `rows()`; an error is otherwise thrown by the next
    /// awaited statement or by the commit.
    /// - Throws: `closed` after the transaction's end; `unrepresentableParameter`.
    @discardableResult
    public func send(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        as name: StatementName? = nil
    ) throws(PostgresError) -> Sent {
        guard isActive else { throw .closed }
        do throws(PostgresError) {
            try checkParameters(parameters)
        } catch {
            if failure == nil { failure = error }
            throw error
        }
        if !hasBegun {
            hasBegun = true
            let begin = LoopPromise<PostgresRows, PostgresError>(loop)
            sent.append(begin)
            connection.send(isolation.begin, [], begin, synchronizing: false)
        }
        let answer = LoopPromise<PostgresRows, PostgresError>(loop)
        sent.append(answer)
        timing?.sent(answer, name, sql, parameters, at: loop.now)
        connection.send(sql, parameters, answer, synchronizing: false)
        return Sent(transaction: self, answer: answer)
    }

    /// Waits for the sent statements up to and including `last`, or for all of them.
    private func settle(
        upTo last: LoopPromise<PostgresRows, PostgresError>? = nil
    ) async throws(PostgresError) {
        if let last, !sent.contains(where: { $0 === last }) { return }
        connection.synchronize()
        while let answer = sent.first {
            sent.removeFirst()
            defer { timing?.ended(answer, at: loop.now) }
            do throws(PostgresError) {
                _ = try await answer.value(cancelled: {})
            } catch {
                if failure == nil { failure = error }
                throw error
            }
            if answer === last { return }
        }
    }

    /// Commits.
    /// - Throws: the first error, if the server rolled back because a statement had failed and the
    ///   body ignored it.
    func commit() async throws(PostgresError) {
        isActive = false
        guard hasBegun else { return }
        let end = LoopPromise<PostgresRows, PostgresError>(loop)
        timing?.sent(end, .commit, "COMMIT", [], at: loop.now)
        defer { timing?.ended(end, at: loop.now) }
        connection.send("COMMIT", [], end)
        try await settle()
        // A cancelled task also waits: the result says whether the transaction was committed.
        let rows = try await end.value(cancelled: {})
        if rows.commandTag == "ROLLBACK" {
            throw failure ?? .driver("the transaction was rolled back")
        }
    }

    /// Rolls back, also in a cancelled task or if the commit was skipped. If that fails the
    /// connection is closed, so that no other caller gets it with an open transaction.
    func rollBack() async {
        isActive = false
        guard hasBegun, connection.isOpen else { return }
        // After a failed statement ROLLBACK would be skipped without this Sync.
        connection.synchronize()
        do { _ = try await connection.queryUncancelled("ROLLBACK") } catch { connection.close() }
    }
}

/// The isolation level of a transaction.
public enum PostgresIsolation: String, Sendable {
    /// Each statement sees what was committed before it; PostgreSQL's default.
    case readCommitted = "READ COMMITTED"
    /// All statements see the same snapshot.
    case repeatableRead = "REPEATABLE READ"
    /// The result is as if transactions ran one after the other.
    case serializable = "SERIALIZABLE"

    /// The BEGIN statement.
    fileprivate var begin: String { "BEGIN ISOLATION LEVEL \(rawValue)" }
}
