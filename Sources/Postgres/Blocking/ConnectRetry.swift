// Waits, at the start of a program, for a server that cannot be reached yet: machines that start together
// start in no order. What a server that answers says is final at once: a wrong password, an unknown database.

import CPostgres

/// Repeats what needs a database until the server accepts connections, or a limit is reached.
public struct ConnectRetry {
    /// An attempt that failed, and what comes next.
    public struct Retry {
        /// Why it failed.
        public let error: any Error
        /// How long until the next attempt.
        public let pause: Duration
        /// How long attempts are still repeated.
        public let remaining: Duration
    }

    private let limit: Duration
    private let pauses: ClosedRange<Duration>
    private let sleep: (Duration) throws -> Void
    private let onRetry: (Retry) -> Void

    /// - Parameters:
    ///   - limit: how long attempts are repeated; zero for one attempt.
    ///   - pauses: the bounds of the pause between attempts, which doubles and is jittered.
    ///   - sleep: blocks the calling thread; what it throws ends the wait.
    ///   - onRetry: is told before each pause.
    public init(
        limit: Duration,
        pauses: ClosedRange<Duration> = .milliseconds(200)...(.seconds(5)),
        sleep: @escaping (Duration) throws -> Void,
        onRetry: @escaping (Retry) -> Void
    ) {
        self.limit = limit
        self.pauses = pauses
        self.sleep = sleep
        self.onRetry = onRetry
    }

    /// One attempt.
    public static var never: ConnectRetry {
        ConnectRetry(limit: .zero, sleep: { _ in }, onRetry: { _ in })
    }

    /// Runs `body`, again and again while the server accepts no connections. Blocks the calling thread.
    /// - Parameters:
    ///   - configuration: how to reach the server.
    ///   - body: connects, and does what there is to do.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws of a server that accepts connections, or at the limit; what `sleep`
    ///   throws.
    package func run<Value>(
        _ configuration: PostgresConfiguration,
        _ body: () throws -> Value
    ) throws -> Value {
        let deadline = ContinuousClock.now + limit
        var backoff = Backoff(pauses)
        var accepted = false
        while true {
            do { return try body() } catch {
                let remaining = ContinuousClock.now.duration(to: deadline)
                guard remaining > .zero else { throw error }
                let accepts = configuration.acceptsConnections
                // It may have begun to between the attempt and the question: then one more shows.
                if accepts, accepted { throw error }
                accepted = accepts
                if accepts { continue }
                let pause = min(backoff.next(), remaining)
                onRetry(Retry(error: error, pause: pause, remaining: remaining))
                try sleep(pause)
            }
        }
    }
}

extension PostgresConfiguration {
    /// Whether the server accepts connections, whatever it thinks of user, password and database: libpq
    /// tells that apart where a failed connection has no error code. Blocks for some seconds at most.
    fileprivate var acceptsConnections: Bool {
        var parameters = connectionParameters
        if parameters["connect_timeout"] == nil { parameters["connect_timeout"] = "5" }
        return withConnectionParameters(parameters) { PQpingParams($0, $1, 0) == PQPING_OK }
    }
}
