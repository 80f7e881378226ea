// What signals do with a running server.

import EventLoop
import Glibc
import Inference
import Logging

extension ServerHost {
    /// Stops at SIGTERM and SIGINT, and reads again what may change at SIGHUP.
    func watchSignals() throws {
        for signal in [SIGTERM, SIGINT] {
            try loop.onSignal(signal) { [self] in stop() }
        }
        try loop.onSignal(SIGHUP) { [self] in
            loop.spawn {
                await self.reloadCertificate()
                await self.reloadSettings()
            }
        }
    }

    /// Reloads the certificate, for new connections. An invalid one changes nothing.
    private func reloadCertificate() async {
        let settings = settings
        let ticketKeys = ticketKeys
        do {
            let read = try await workers.run { try Self.certificates(settings, ticketKeys) }
            guard let tls = read else {
                logger.notice("no certificate to reload")
                return
            }
            listeners?.replaceCertificate(tls)
            logger.notice("certificate reloaded")
        } catch {
            logger.error(
                "reloading the certificate failed; the old one stays in use",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Reads the settings again, and applies those that a running server can change. Invalid ones
    /// change nothing.
    private func reloadSettings() async {
        guard let rereadSettings else { return }
        let settings: ServerSettings
        do {
            settings = try await workers.run { try rereadSettings() }
        } catch {
            logger.error(
                "reading the settings failed; the old ones stay in use",
                metadata: ["error": "\(error)"]
            )
            return
        }
        threads.resize(to: settings.computeThreadCount)
        let limit = settings.modelMemoryBytes(of: EngineProbe.memory())
        server.dispatcher.pool?.memory?.models.limitBytes = limit
        server.dispatcher.provideModels()
        logger.notice(
            "settings reloaded",
            metadata: ["threads": "\(threads.count)", "model_memory_mib": "\(limit >> 20)"]
        )
    }
}
