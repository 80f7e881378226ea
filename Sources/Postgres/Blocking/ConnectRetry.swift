// Waits at the start of a program for a server that is not reachable yet, since machines may start
// in any order. Errors of a reachable server are final at once: a wrong password, an unknown
// database.

import CPostgres

/// Retries an operation until the server accepts connections, or a limit is reached.
public struct ConnectRetry {
    /// A failed attempt and the next pause.
    public struct Retry {
        /// Why it failed.
        public let error: any Error
        /// The pause until the next attempt.
        public let pause: Duration
        /// The remaining time for attempts.
        public let remaining: Duration
    }

    private let limit: Duration
    private let pauses: ClosedRange<Duration>
    private let sleep: (Duration) throws -> Void
    private let onRetry: (Retry) -> Void

    /// - Parameters:
    ///   - limit: the maximum time for attempts; zero for one attempt.
    ///   - pauses: minimum and maximum pause between attempts; it doubles, with jitter.
    ///   - sleep: blocks the calling thread; an error ends the wait.
    ///   - onRetry: called before each pause.
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

    /// Makes one attempt.
    public static var never: ConnectRetry {
        ConnectRetry(limit: .zero, sleep: { _ in }, onRetry: { _ in })
    }

    /// Runs `body`, and retries it while the server accepts no connections. Blocks the calling
    /// thread.
    /// - Parameters:
    ///   - configuration: the connection settings.
    ///   - body: connects and does the work.
    /// - Returns: what `body` returns.
    /// - Throws: the error of `body` if the server accepts connections or the limit is reached; the
    ///   error of `sleep`.
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
                // It may have become ready between the attempt and this check, so one more attempt
                // decides.
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
    /// Whether one of the servers accepts connections, even if it refuses user, password or database
    /// (PQping). While it is looking for a primary, servers that are read-only do not count: one of
    /// them may be promoted. Blocks for at most some seconds for each host.
    fileprivate var acceptsConnections: Bool {
        var (isRefused, hasStandby) = (false, false)
        for host in hosts {
            var parameters = host.replacing(in: connectionParameters)
            parameters["target_session_attrs"] = "any"
            if parameters["connect_timeout"] == nil { parameters["connect_timeout"] = "5" }
            guard withConnectionParameters(parameters, { PQpingParams($0, $1, 0) }) == PQPING_OK
            else { continue }
            guard seeksPrimary else { return true }
            let connection = withConnectionParameters(parameters) { PQconnectdbParams($0, $1, 0) }
            defer { PQfinish(connection) }
            if PQstatus(connection) != CONNECTION_OK {
                isRefused = true
            } else if Self.isReadOnly(connection) {
                hasStandby = true
            } else {
                return true
            }
        }
        return isRefused && !hasStandby
    }

    private static func isReadOnly(_ connection: OpaquePointer?) -> Bool {
        guard let result = PQexec(connection, "SHOW transaction_read_only") else { return true }
        defer { PQclear(result) }
        guard PQntuples(result) == 1, let value = PQgetvalue(result, 0, 0) else { return true }
        return String(cString: value) == "on"
    }
}
