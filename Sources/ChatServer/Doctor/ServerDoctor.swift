// The doctor of a running server: examines it for its administrators, without blocking its loop.

import EventLoop
import Postgres

/// Examines a running server. Lives on the server's loop.
///
/// The database is read over the server's own connections; files, models and certificates are read
/// on a thread that may block. However many administrators look, there is one examination at a
/// time, and its report is shown for some seconds.
final class ServerDoctor {
    /// How long a report is shown before the server is examined again.
    private static let freshness = Duration.seconds(10)

    private let loop: EventLoop
    private let pool: PostgresPool
    private let workers: WorkerPool
    private let database: Database
    private let settings: ServerSettings
    private var latest: (result: Result<DoctorReport, any Error>, at: ContinuousClock.Instant)?
    private var examination: LoopTask?

    /// Creates the doctor of the server with these settings.
    init(
        loop: EventLoop,
        pool: PostgresPool,
        workers: WorkerPool,
        database: Database,
        settings: ServerSettings
    ) {
        self.loop = loop
        self.pool = pool
        self.workers = workers
        self.database = database
        self.settings = settings
    }

    /// A report of the last seconds.
    /// - Throws: `WorkerPoolError` while the server shuts down.
    func report() async throws -> DoctorReport {
        if let latest, loop.now - latest.at < Self.freshness { return try latest.result.get() }
        let examination = examination ?? begin()
        await examination.wait()
        guard let latest else { throw CancellationError() }
        return try latest.result.get()
    }

    private func begin() -> LoopTask {
        let task = loop.spawn { [self] in
            let result: Result<DoctorReport, any Error>
            do { result = .success(try await examine()) } catch { result = .failure(error) }
            latest = (result, loop.now)
            examination = nil
        }
        examination = task
        return task
    }

    private func examine() async throws -> DoctorReport {
        let options = Doctor.Options()
        let findings = try await DatabaseProbe.look(
            over: pool,
            workers,
            database,
            settings,
            options
        )
        let settings = settings
        let port: PortState? =
            settings.listensOnHost ? (settings.port == 0 ? .any : .own) : nil
        return try await workers.run {
            Doctor.report(settings, options, database: findings, port: port)
        }
    }
}
