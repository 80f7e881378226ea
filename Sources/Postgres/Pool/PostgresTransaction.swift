// A transaction as its body sees it.

import EventLoop

/// Executes statements within one transaction. Of no use after the transaction's body has returned.
public final class PostgresTransaction {
    private let connection: PostgresConnection
    private let loop: EventLoop
    private let isolation: PostgresIsolation
    private var hasBegun = false
    private var isActive = true
    /// The statements that were sent and whose answers nobody has awaited yet, oldest first.
    private var sent: [LoopPromise<PostgresRows, PostgresError>] = []
    /// The first error of a statement; it decides whether the transaction may be run again.
    private(set) var failure: PostgresError?

    init(_ connection: PostgresConnection, loop: EventLoop, isolation: PostgresIsolation) {
        self.connection = connection
        self.loop = loop
        self.isolation = isolation
    }

    /// A statement of a transaction that is under way.
    public struct Sent {
        fileprivate let transaction: PostgresTransaction
        fileprivate let answer: LoopPromise<PostgresRows, PostgresError>

        /// Waits for the statement's rows.
        /// - Throws: the error of this statement, or of one before it that nobody has awaited.
        public func rows() async throws(PostgresError) -> PostgresRows {
            try await transaction.settle(upTo: answer)
            return try await answer.value(cancelled: {})
        }
    }

    /// Executes one statement in the transaction.
    /// - Throws: `closed` after the transaction's end, else as the pool's `query` does; also the
    ///   error of a statement that was sent before it.
    public func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws(PostgresError) -> PostgresRows {
        if Task.isCancelled { throw .cancelled }
        return try await send(sql, parameters).rows()
    }

    /// Sends one statement and does not wait for its answer, so that statements that need nothing of
    /// each other's take one round trip together, the commit included.
    ///
    /// What the answer says, errors too, is told by `rows()`, or else by the next statement that is
    /// awaited, or by the commit.
    /// - Throws: `closed` after the transaction's end; `unrepresentableParameter`.
    @discardableResult
    public func send(
        _ sql: String,
        _ parameters: [PostgresValue] = []
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
        connection.send(sql, parameters, answer, synchronizing: false)
        return Sent(transaction: self, answer: answer)
    }

    /// Waits for what was sent up to and with `last`, or for all of it.
    private func settle(
        upTo last: LoopPromise<PostgresRows, PostgresError>? = nil
    ) async throws(PostgresError) {
        if let last, !sent.contains(where: { $0 === last }) { return }
        connection.synchronize()
        while let answer = sent.first {
            sent.removeFirst()
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
    /// - Throws: the first error where the server rolled back since a statement had failed and the
    ///   body passed over that.
    func commit() async throws(PostgresError) {
        isActive = false
        guard hasBegun else { return }
        let end = LoopPromise<PostgresRows, PostgresError>(loop)
        connection.send("COMMIT", [], end)
        try await settle()
        // A cancelled task waits for this answer too: the transaction is done or not.
        let rows = try await end.value(cancelled: {})
        if rows.commandTag == "ROLLBACK" {
            throw failure ?? .driver("the transaction was rolled back")
        }
    }

    /// Rolls back, also for a task that was cancelled, and where the commit was skipped. A connection that
    /// cannot do that is closed: nobody else may get it with a transaction open.
    func rollBack() async {
        isActive = false
        guard hasBegun, connection.isOpen else { return }
        // Behind a statement that failed, it would be skipped itself.
        connection.synchronize()
        do { _ = try await connection.queryUncancelled("ROLLBACK") } catch { connection.close() }
    }
}

/// How much of other transactions a transaction sees.
public enum PostgresIsolation: String, Sendable {
    /// Each statement sees what was committed before it; PostgreSQL's usual level.
    case readCommitted = "READ COMMITTED"
    /// All statements see the same snapshot.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after the other.
    case serializable = "SERIALIZABLE"

    /// The statement that begins such a transaction.
    fileprivate var begin: String { "BEGIN ISOLATION LEVEL \(rawValue)" }
}
