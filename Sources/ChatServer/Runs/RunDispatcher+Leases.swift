// The leases under which answers are made, and what becomes of them when the node goes down.

import ChatProtocol
import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    func keepLeases() {
        _ = loop.schedule(after: configuration.lease / 3) { [weak self] in
            guard let self, !self.isDraining else { return }
            self.loop.spawn { await self.renewLeases() }
            self.keepLeases()
        }
    }

    private func renewLeases() async {
        let messages = Array(claims)
        guard !messages.isEmpty,
            let ours = try? await store.renewLeases(
                of: messages,
                node: configuration.node,
                lease: configuration.lease
            )
        else { return }
        // A run that another node has taken over is not ours to tell of any more.
        for run in runs.values where !ours.messages.contains(run.claim.message) {
            guard messages.contains(run.claim.message) else { continue }
            logger.warning("lost a run", metadata: ["message": "\(run.claim.message)"])
            runs[run.request] = nil
            claims.remove(run.claim.message)
            run.cancel()
            hub.dropAnswer(run.claim.message, in: run.claim.conversation)
        }
    }

    /// Ends the node's work: what grows may go on for a while, and what is not done then goes back to
    /// the queue, to be made by the next node or this one's next life.
    package func drain(within period: Duration) async {
        isDraining = true
        let deadline = loop.now + period
        while !claims.isEmpty, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { break }
        }
        isReleasing = true
        for run in runs.values { run.cancel() }
        do {
            try await store.releaseLeases(node: configuration.node)
        } catch {
            logger.warning(
                "leases not released; they run out by themselves",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
