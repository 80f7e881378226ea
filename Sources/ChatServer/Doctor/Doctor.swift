// `stoa doctor`: checks everything that a server needs, dependencies first, and changes nothing.
// The …Judgement files turn the facts into checks.

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
public import Logging
import Postgres

/// Checks an installation.
public enum Doctor {
    /// How to check.
    public struct Options: Sendable {
        /// Thresholds for warnings.
        public var limits = DoctorLimits()
        /// Whether to read all messages, too, which may take minutes.
        public var isThorough = false
        /// The time for which certificates are checked, in seconds since 1970; nil for now.
        public var time: Int?
        /// The process' environment.
        public var environment = ProcessInfo.processInfo.environment

        /// The defaults.
        public init() {}
    }

    /// Checks everything that `stoa serve` with these settings would need, whether a server is
    /// running or not. Blocks the calling thread; a private cluster with data that is not running
    /// is started for the check.
    /// - Parameters:
    ///   - settings: the server's settings.
    ///   - options: how to check.
    ///   - logger: the logger for connections.
    /// - Returns: the report.
    public static func examine(
        _ settings: ServerSettings,
        options: Options = Options(),
        logger: Logger
    ) async -> DoctorReport {
        let database = await DatabaseProbe.look(settings, options, logger)
        let port =
            settings.listensOnHost
            ? PortProbe.state(host: settings.host, port: settings.port) : nil
        return report(settings, options, database: database, port: port)
    }

    /// Checks only the database of these settings. Blocks the calling thread.
    /// - Parameters:
    ///   - settings: the server's settings.
    ///   - options: how to check.
    ///   - logger: the logger for connections.
    /// - Returns: the report.
    static func examineDatabase(
        _ settings: ServerSettings,
        options: Options,
        logger: Logger
    ) async -> DoctorReport {
        DoctorReport(await DatabaseProbe.look(settings, options, logger).checks)
    }

    /// Reads everything but the database and the port, and reports all of it. Blocks the calling
    /// thread.
    /// - Parameters:
    ///   - settings: the server's settings.
    ///   - options: how to check.
    ///   - database: what was found in the database.
    ///   - port: the state of the port to listen on; nil if the settings name none.
    /// - Returns: the report.
    static func report(
        _ settings: ServerSettings,
        _ options: Options,
        database: DatabaseFindings,
        port: PortState?
    ) -> DoctorReport {
        var checks = [DoctorCheck.ok(.settings, "settings", .known(.readableSettings))]
        let limits = options.limits
        checks += StorageProbe.folders(settings).map { StorageJudgement.check($0, limits) }
        checks += database.checks
        checks += EngineJudgement.checks(
            EngineProbe.models(settings, database, options.environment),
            EngineProbe.machine(options.environment),
            settings: settings
        )
        checks += RemoteEngineJudgement.checks(settings, options.environment)
        let now = options.time ?? Int(Timestamp.now.milliseconds / 1000)
        for facts in CertificateProbe.read(settings) {
            checks += CertificateJudgement.checks(facts, now: now, limits: limits)
        }
        if let port {
            checks += NetworkJudgement.checks(port, settings, nodes: database.nodes)
        } else if settings.unixSocket != nil {
            checks.append(.ok(.network, "port", .known(.unixSocketOnly)))
        } else {
            checks.append(
                .warning(
                    .network,
                    "port",
                    .known(.noSocket),
                    do: .nameHost
                )
            )
        }
        return DoctorReport(checks)
    }

    /// The report if the settings cannot be read: nothing else can be checked then.
    /// - Parameter reason: the setting, its source, and what is wrong with it.
    /// - Returns: the report.
    public static func report(unreadableSettings reason: String) -> DoctorReport {
        DoctorReport([
            .failure(
                .settings,
                "settings",
                "\(reason)",
                do: .correctSettings
            )
        ])
    }
}
