// Connecting: PQconnectStartParams, then PQconnectPoll whenever the descriptor is ready (libpq
// manual, 34.1). Several hosts are tried one after the other, each with a deadline of its own, which
// libpq leaves to its caller where it does not block.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Connects to the first host that accepts. Call it once.
    /// - Throws: `connectionLost` with libpq's reasons, or `cancelled`.
    public func connect() async throws(PostgresError) {
        var failures: [String] = []
        for candidate in hosts.hosts {
            do throws(PostgresError) {
                try await connect(to: candidate)
                host = candidate
                return hosts.accepted(candidate)
            } catch {
                guard phase == .connecting else { throw error }
                failures.append(error.reasonOfLoss)
            }
        }
        let error = PostgresError.connectionLost(failures.joined(separator: "; "))
        end(error)
        throw error
    }

    private func connect(to host: DatabaseHost) async throws(PostgresError) {
        var failure = PostgresError.connectionLost("no address of \(host) is known")
        for address in try await addresses(of: host) {
            do throws(PostgresError) {
                return try await attempt(host) { start(address) }
            } catch {
                guard phase == .connecting else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func addresses(of host: DatabaseHost) async throws(PostgresError) -> [DatabaseHost] {
        var found: [DatabaseHost] = []
        try await attempt(host) {
            let attempt = pendingAttempt
            lookup = loop.spawn {
                do throws(PostgresError) {
                    found = try await HostResolver.resolve(host)
                    attempt?.succeed(())
                } catch {
                    attempt?.fail(error)
                }
            }
        }
        return found
    }

    /// Waits for an attempt that `start` begins and that completes `pendingAttempt`, at most until
    /// the deadline.
    private func attempt(
        _ host: DatabaseHost,
        _ start: () -> Void
    ) async throws(PostgresError) {
        guard phase == .connecting else { throw .closed }
        let promise = LoopPromise<Void, PostgresError>(loop)
        pendingAttempt = promise
        timer = loop.schedule(after: configuration.attemptDeadline) { [weak self] in
            self?.hosts.wasSilent(host)
            self?.failAttempt("no answer of \(host) within the connect deadline")
        }
        defer {
            timer?.cancel()
            timer = nil
        }
        start()
        try await promise.value(cancelled: { self.end(.cancelled) })
    }

    private func start(_ address: DatabaseHost) {
        let parameters = address.replacing(in: configuration.connectionParameters)
        handle = withConnectionParameters(parameters) { PQconnectStartParams($0, $1, 0) }
        if handle == nil || PQstatus(handle) == CONNECTION_BAD {
            failAttempt(connectionMessage(handle))
        } else {
            watch(.writable)
        }
    }

    /// Ends the current attempt, but not the connection: the next host may accept.
    func failAttempt(_ reason: String) {
        timer?.cancel()
        timer = nil
        // Before libpq closes the descriptor, since its number may be reused at once.
        registration?.cancel()
        registration = nil
        if let handle { PQfinish(handle) }
        handle = nil
        pendingAttempt?.fail(.connectionLost(reason))
    }

    /// Performs the next step. libpq may change the descriptor in each, so each step registers
    /// again.
    func pollConnecting() {
        registration?.cancel()
        registration = nil
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watch(.readable)
        case PGRES_POLLING_WRITING: watch(.writable)
        case PGRES_POLLING_OK: open()
        default: failAttempt(connectionMessage(handle))
        }
    }

    private func open() {
        guard let handle, PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            return failAttempt(connectionMessage(handle))
        }
        silenceNotices(handle)
        timer?.cancel()
        timer = nil
        phase = .open
        watch(.readable)
        pendingAttempt?.succeed(())
    }

    private func watch(_ interest: Interest) {
        do {
            registration = try loop.register(PQsocket(handle), for: interest, self)
        } catch {
            end(.driver("\(error)"))
        }
    }
}

extension PostgresError {
    /// The reason, without the words that its description begins with.
    fileprivate var reasonOfLoss: String {
        if case .connectionLost(let reason) = self { reason } else { description }
    }
}
