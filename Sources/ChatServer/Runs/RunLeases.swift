// Renews the leases of running answers while the node lives, so that they expire when it dies.

import ChatCore
import ChatStore
import EventLoop
import Logging

/// Renews the leases of a node's runs.
final class RunLeases {
    private unowned let dispatcher: RunDispatcher

    init(_ dispatcher: RunDispatcher) { self.dispatcher = dispatcher }

    /// Starts to renew leases, until they are released.
    func start() {
        _ = dispatcher.loop.schedule(after: dispatcher.configuration.lease / 3) { [weak self] in
            // Runs that continue during the shutdown need their leases until they are released.
            guard let self, !dispatcher.isReleasing else { return }
            dispatcher.loop.spawn { await self.renew() }
            start()
        }
    }

    private func renew() async {
        let renewed = Array(dispatcher.runs.all)
        guard !renewed.isEmpty,
            let held = try? await dispatcher.store.queue.renewLeases(
                of: renewed.map(\.claim.message),
                node: dispatcher.configuration.node,
                lease: dispatcher.configuration.lease
            ),
            !dispatcher.isReleasing
        else { return }
        for run in renewed where !held.messages.contains(run.claim.message) { lose(run) }
        dispatcher.apply(held.stops)
    }

    /// Releases a run that another node has taken over.
    func lose(_ run: ActiveRun) {
        guard run.state.phase != .ended else { return }
        dispatcher.handle(.leaseLost, of: run)
        // A run whose end is being stored may still be committed.
        guard run.state.phase == .ended else { return }
        dispatcher.logger.warning(
            "lease lost; run taken over",
            metadata: ["message": "\(run.claim.message)"]
        )
    }
}
