// systemd or another service manager: the sockets that it passes, and its notifications.

import EventLoop
import Networking

/// The service manager that started this process, if any.
struct ServiceManager: Sendable {
    /// The sockets to listen on instead of the settings' address.
    let sockets: [Int32]
    private let notifier: ServiceNotifier?

    /// Takes over the sockets named in the environment. Call it once, before opening anything else.
    init(environment: [String: String]) throws(StartupError) {
        do {
            sockets = try InheritedSockets.take(environment: environment)
        } catch {
            throw StartupError(.configuration, "the sockets of LISTEN_FDS cannot be used: \(error)")
        }
        notifier = ServiceNotifier(environment: environment)
    }

    /// Notifies that requests are accepted, and, if a watchdog is configured, repeatedly that the
    /// loop is running.
    func ready(_ loop: EventLoop) {
        notifier?.ready()
        if let notifier, let period = notifier.watchdogPeriod {
            Self.keepAlive(notifier, every: period, loop)
        }
    }

    /// Notifies that the server is shutting down, and how long that may take.
    func stopping(within duration: Duration) { notifier?.stopping(within: duration) }

    private static func keepAlive(
        _ notifier: ServiceNotifier,
        every period: Duration,
        _ loop: EventLoop
    ) {
        notifier.alive()
        loop.schedule(after: period) { [weak loop] in
            if let loop { keepAlive(notifier, every: period, loop) }
        }
    }
}
