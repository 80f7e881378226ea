// Transactions of a pool: they lease a connection and are retried after conflicts.

import EventLoop
import Instruments

extension PostgresPool {
    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it
    /// throws.
    ///
    /// `body` is retried a limited number of times after conflicts (40001, 40P01), and if the
    /// connection is lost before the commit was sent, since then nothing was done. So its only
    /// effects must be through its transaction.
    /// - Throws: what `body` throws, or `PostgresError`. `connectionLost` may mean that the commit
    ///   was pending: the transaction may or may not have been committed.
    public func transaction<T>(
        isolation: PostgresIsolation = .readCommitted,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws -> T {
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(200)))
        for _ in 1..<configuration.transactionAttemptCount {
            switch try await attempt(isolation, body) {
            case .done(let result): return result
            case .failed(let error): throw error
            case .retry:
                do { try await loop.sleep(for: backoff.next()) } catch {
                    throw PostgresError.cancelled
                }
            }
        }
        switch try await attempt(isolation, body) {
        case .done(let result): return result
        case .failed(let error), .retry(let error): throw error
        }
    }

    private enum Outcome<T> {
        case done(T)
        case failed(any Error)
        case retry(any Error)
    }

    private func attempt<T>(
        _ isolation: PostgresIsolation,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws(PostgresError) -> Outcome<T> {
        let startedAt = loop.now
        defer { transactionTimes.record(loop.now - startedAt) }
        let slot = try await lease()
        defer { release(slot) }
        guard let connection = slot.connection else {
            return .retry(PostgresError.connectionLost("the connection has ended"))
        }
        let transaction = PostgresTransaction(connection, loop: loop, isolation: isolation)
        transaction.observe(onStatement, wait: loop.now - startedAt)
        let result: T
        do {
            result = try await body(transaction)
        } catch {
            await transaction.rollBack()
            // The statement's error counts, whatever error the body throws.
            return Self.isRetryable(transaction.failure) ? .retry(error) : .failed(error)
        }
        do throws(PostgresError) {
            try await transaction.commit()
            return .done(result)
        } catch {
            // The commit was skipped if a statement sent with it had failed.
            await transaction.rollBack()
            // An error of the server is final. After a lost connection it is unknown whether the
            // transaction was committed.
            let isConflict = error.sqlState != nil && Self.isRetryable(error)
            return isConflict ? .retry(error) : .failed(error)
        }
    }

    private static func isRetryable(_ error: PostgresError?) -> Bool {
        switch error {
        case .connectionLost: true
        case .server(let error):
            error.sqlState == .serializationFailure || error.sqlState == .deadlockDetected
        default: false
        }
    }
}
