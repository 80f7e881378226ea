// Transactions of a pool: leased, and run again where another one got in the way.

import EventLoop
import Instruments

extension PostgresPool {
    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it
    /// throws.
    ///
    /// `body` runs again, a bounded number of times, where the server asks for that (40001, 40P01),
    /// and where the connection is lost before the commit was sent: nothing was done then. So it
    /// must have no effects but through its transaction.
    /// - Throws: what `body` throws, or `PostgresError`. `connectionLost` may mean that the commit
    ///   was under way: the transaction was done or not.
    public func transaction<T>(
        isolation: PostgresIsolation = .readCommitted,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws -> T {
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(200)))
        for _ in 1..<configuration.transactionAttemptCount {
            switch try await attempt(isolation, body) {
            case .done(let result): return result
            case .failed(let error): throw error
            case .again:
                do { try await loop.sleep(for: backoff.next()) } catch {
                    throw PostgresError.cancelled
                }
            }
        }
        switch try await attempt(isolation, body) {
        case .done(let result): return result
        case .failed(let error), .again(let error): throw error
        }
    }

    private enum Outcome<T> {
        case done(T)
        case failed(any Error)
        case again(any Error)
    }

    private func attempt<T>(
        _ isolation: PostgresIsolation,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws(PostgresError) -> Outcome<T> {
        let askedAt = loop.now
        defer { transactionTimes.record(loop.now - askedAt) }
        let slot = try await lease()
        defer { giveBack(slot) }
        guard let connection = slot.connection else {
            return .again(PostgresError.connectionLost("the connection has ended"))
        }
        let transaction = PostgresTransaction(connection, loop: loop, isolation: isolation)
        let result: T
        do {
            result = try await body(transaction)
        } catch {
            await transaction.rollBack()
            // What counts is the statement's error, whatever the body made of it.
            return Self.mayRunAgain(transaction.failure) ? .again(error) : .failed(error)
        }
        do throws(PostgresError) {
            try await transaction.commit()
            return .done(result)
        } catch {
            // The commit was skipped where a statement that was sent with it had failed.
            await transaction.rollBack()
            // The server's word is final. A lost connection leaves open whether it has committed.
            let isConflict = error.sqlState != nil && Self.mayRunAgain(error)
            return isConflict ? .again(error) : .failed(error)
        }
    }

    private static func mayRunAgain(_ error: PostgresError?) -> Bool {
        switch error {
        case .connectionLost: true
        case .server(let error):
            error.sqlState == .serializationFailure || error.sqlState == .deadlockDetected
        default: false
        }
    }
}
