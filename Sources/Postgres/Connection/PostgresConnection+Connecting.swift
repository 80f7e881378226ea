// Connecting: PQconnectStartParams, then PQconnectPoll whenever the descriptor is ready (libpq
// manual, 34.1).

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Connects. Call it once.
    /// - Throws: `connectionLost` with libpq's reason, or `cancelled`.
    public func connect() async throws(PostgresError) {
        timer = loop.schedule(after: configuration.connectDeadline) { [weak self] in
            self?.end(.connectionLost("no answer within the connect deadline"))
        }
        do throws(PostgresError) {
            start(try await HostResolver.resolve(configuration.connectionParameters))
        } catch {
            end(error)
        }
        try await opened.value(cancelled: { self.end(.cancelled) })
    }

    private func start(_ parameters: [String: String]) {
        // The timeout may have passed while the name was resolved.
        guard phase == .connecting else { return }
        handle = withConnectionParameters(parameters) { PQconnectStartParams($0, $1, 0) }
        if handle == nil || PQstatus(handle) == CONNECTION_BAD {
            endBroken()
        } else {
            watch(.writable)
        }
    }

    /// Performs the next step. libpq may change the descriptor in each, for example to try another
    /// address, so each step registers again.
    func pollConnecting() {
        registration?.cancel()
        registration = nil
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watch(.readable)
        case PGRES_POLLING_WRITING: watch(.writable)
        case PGRES_POLLING_OK: open()
        default: endBroken()
        }
    }

    private func open() {
        guard let handle, PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            return endBroken()
        }
        silenceNotices(handle)
        timer?.cancel()
        timer = nil
        phase = .open
        watch(.readable)
        opened.succeed(())
    }

    private func watch(_ interest: Interest) {
        do {
            registration = try loop.register(PQsocket(handle), for: interest, self)
        } catch {
            end(.driver("\(error)"))
        }
    }
}
