// `stoa doctor`: looks at all that a server needs, in the order in which one thing rests on the other,
// and changes nothing. What is seen is judged elsewhere (the …Judgement files).

import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
public import Logging
import Postgres

/// Looks at an installation.
public enum Doctor {
    /// How to look.
    public struct Options: Sendable {
        /// From when on to warn.
        public var limits = DoctorLimits()
        /// Whether all messages are read too, which may take minutes.
        public var isThorough = false
        /// The moment that certificates are judged for, in seconds since 1970; nil for now.
        public var time: Int?
        /// The process' environment.
        public var environment = ProcessInfo.processInfo.environment

        /// The usual way.
        public init() {}
    }

    /// Looks at all that `stoa serve` with these settings would need, beside a running server or
    /// without one. Blocks the calling thread; a private cluster that does not run is started
    /// meanwhile, where it has data.
    /// - Parameters:
    ///   - settings: as the server has them.
    ///   - options: how to look.
    ///   - logger: where the connections log.
    /// - Returns: what was found.
    public static func examine(
        _ settings: ServerSettings,
        options: Options = Options(),
        logger: Logger
    ) async -> DoctorReport {
        var checks = [DoctorCheck.ok(.settings, "settings", "they can be read")]
        let limits = options.limits
        checks += StorageProbe.folders(settings).map { StorageJudgement.check($0, limits) }
        let database = await DatabaseProbe.look(settings, options, logger)
        checks += database.checks
        checks += EngineJudgement.checks(
            EngineProbe.models(settings, fetched: database.fetchedModels, options.environment),
            EngineProbe.machine(options.environment),
            settings: settings
        )
        let now = options.time ?? Int(Timestamp.now.milliseconds / 1000)
        for facts in CertificateProbe.read(settings) {
            checks += CertificateJudgement.checks(facts, now: now, limits: limits)
        }
        if settings.listensOnHost {
            checks += NetworkJudgement.checks(
                PortProbe.state(host: settings.host, port: settings.port),
                settings,
                nodes: database.nodes
            )
        } else if settings.unixSocket != nil {
            checks.append(.ok(.network, "port", "none: the Unix socket alone"))
        } else {
            checks.append(
                .warning(
                    .network,
                    "port",
                    "none, and no Unix socket",
                    do: "that is for a service manager's sockets (LISTEN_FDS); else name a --host"
                )
            )
        }
        return DoctorReport(checks)
    }

    /// The report where the settings cannot be read: nothing else can be looked at then.
    /// - Parameter reason: which setting, where it stands, and what is wrong with it.
    /// - Returns: the report.
    public static func report(unreadableSettings reason: String) -> DoctorReport {
        DoctorReport([
            .failure(
                .settings,
                "settings",
                reason,
                do: "correct it there; stoa help settings lists all settings"
            )
        ])
    }
}
