// `stoa serve`: finds the models, opens the database, builds the server on its loop, and runs it
// until it ends.

import ChatStore
import EventLoop
import FoundationEssentials
import Glibc
package import Inference
public import Logging
import Postgres
import Synchronization

/// The server process.
public enum ServeCommand {
    /// The signals that the server handles. They must be blocked (`SignalWatcher.block`) before the
    /// process starts a second thread.
    public static let signals = [SIGTERM, SIGINT, SIGHUP]

    /// Reads the settings again.
    public typealias Reread = @Sendable () throws(SettingError) -> ServerSettings

    /// Serves until SIGTERM or SIGINT. A second signal releases the leases and ends the process, a
    /// third ends it at once.
    /// - Parameters:
    ///   - settings: the settings.
    ///   - rereadSettings: reads the settings again at SIGHUP; nil if that is not possible.
    ///   - logger: the logger.
    ///   - announce: gets lines for a person or a script: `ready http://…` and the sign-up link.
    /// - Throws: `StartupError` if the server cannot start, or its loop fails.
    public static func run(
        _ settings: ServerSettings,
        rereadSettings: Reread? = nil,
        logger: Logger,
        announce: @escaping @Sendable (String) -> Void
    ) throws(StartupError) {
        try run(
            settings,
            rereadSettings: rereadSettings,
            logger: logger,
            makeEngine: nil,
            announce: announce
        )
    }

    /// Serves with engines from the caller: benchmarks use one that answers at once.
    /// - Parameters:
    ///   - settings: the settings.
    ///   - rereadSettings: reads the settings again at SIGHUP; nil if that is not possible.
    ///   - logger: the logger.
    ///   - makeEngine: starts an engine for a model; nil for the default.
    ///   - announce: gets lines for a person or a script.
    /// - Throws: as the public function.
    package static func run(
        _ settings: ServerSettings,
        rereadSettings: Reread? = nil,
        logger: Logger,
        makeEngine: (
            @Sendable (LoadedModel, Int?, @escaping EnginePool.Sink) throws -> any InferenceEngine
        )?,
        announce: @escaping @Sendable (String) -> Void
    ) throws(StartupError) {
        let environment = ProcessInfo.processInfo.environment
        let manager = try ServiceManager(environment: environment)
        guard settings.listensOnHost || settings.unixSocket != nil || !manager.sockets.isEmpty
        else {
            throw StartupError(
                .configuration,
                "host is none, and no service manager hands a socket over: name a unix-socket"
            )
        }
        // First, before anything that takes time or must be undone: a taken port is then the only
        // error.
        let sockets = try ServerListeners.open(settings, inherited: manager.sockets)
        let lock = try DataDirectoryLock(settings.dataDirectory)
        if lock.isShared {
            logger.notice(
                "data directory in use by another server; joining as another node",
                metadata: ["folder": "\(settings.dataDirectory)"]
            )
        }
        let source = HubModels(
            environment: environment,
            dataDirectory: settings.dataDirectory
        )
        let models = try StartupModels(settings, source: source, environment: environment)
        guard let database = try openDatabase(settings, logger) else { return }
        defer { database.release() }

        let failure = Mutex<StartupError?>(nil)
        let thread: EventLoopThread
        do {
            thread = try EventLoop.launch(name: "stoa") { loop in
                loop.spawn {
                    do {
                        let host = try await ServerHost(
                            loop: loop,
                            settings: settings,
                            models: models,
                            source: source,
                            database: database,
                            manager: manager,
                            makeEngine: makeEngine,
                            rereadSettings: rereadSettings,
                            logger: logger
                        )
                        try await host.start(sockets, announce: announce)
                    } catch {
                        failure.withLock { $0 = startupError(error) }
                        loop.stop()
                    }
                }
            }
        } catch {
            throw StartupError(.software, "no event loop: \(error)")
        }
        if let error = thread.join() { throw StartupError(.software, "the loop failed: \(error)") }
        if let error = failure.withLock({ $0 }) { throw error }
        withExtendedLifetime(lock) {}
    }

    /// Opens the database, and waits for it if it is unreachable.
    /// - Returns: nil if a signal ended the wait.
    private static func openDatabase(
        _ settings: ServerSettings,
        _ logger: Logger
    ) throws(StartupError) -> Database? {
        do {
            return try Database(
                opening: settings,
                migrates: true,
                retry: ConnectRetry(
                    limit: settings.databaseWait,
                    sleep: Self.pause,
                    onRetry: { retry in
                        logger.warning(
                            "database unavailable; retrying",
                            metadata: [
                                "reason": "\(retry.error)",
                                "retry_in": "\(Int(retry.pause / .milliseconds(1))) ms",
                                "gives_up_in": "\(retry.remaining.components.seconds) s",
                            ]
                        )
                    }
                )
            )
        } catch is CancellationError {
            logger.notice("stopped while waiting for the database")
            return nil
        } catch {
            throw Database.startupError(error)
        }
    }

    /// Blocks the calling thread for a while; a signal to stop ends the pause.
    /// - Throws: `CancellationError` if one arrived.
    private static func pause(_ duration: Duration) throws {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT] { sigaddset(&signals, signal) }
        var time = timespec(
            tv_sec: Int(duration.components.seconds),
            tv_nsec: Int(duration.components.attoseconds / 1_000_000_000)
        )
        if sigtimedwait(&signals, nil, &time) > 0 { throw CancellationError() }
    }

    private static func startupError(_ error: any Error) -> StartupError {
        error as? StartupError ?? StartupError(.software, "the server cannot start: \(error)")
    }
}
