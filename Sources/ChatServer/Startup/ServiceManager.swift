// systemd, or whoever else starts the process by its rules: the sockets that it hands over, and what it wants
// to be told.

import EventLoop
import Networking

/// The service manager that has started this process; nobody, where there is none.
struct ServiceManager: Sendable {
    /// The sockets to listen on instead of an address of our own.
    let sockets: [Int32]
    private let notifier: ServiceNotifier?

    /// Takes over what the environment tells of. To be called once, before anything else is opened.
    init(environment: [String: String]) throws(StartupError) {
        do {
            sockets = try InheritedSockets.take(environment: environment)
        } catch {
            throw StartupError(.configuration, "the sockets of LISTEN_FDS cannot be used: \(error)")
        }
        notifier = ServiceNotifier(environment: environment)
    }

    /// Says that requests are taken, and, where that is wanted, again and again that the loop turns.
    func ready(_ loop: EventLoop) {
        notifier?.ready()
        if let notifier, let period = notifier.watchdogPeriod {
            Self.keepAlive(notifier, every: period, loop)
        }
    }

    /// Says that the server is shutting down, and how long that may take.
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
