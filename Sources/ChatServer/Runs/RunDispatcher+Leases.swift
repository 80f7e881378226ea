// The leases under which answers are made, and what becomes of them when the node goes down.

import ChatProtocol
import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    func keepLeases() {
        _ = loop.schedule(after: configuration.lease / 3) { [weak self] in
            // What may go on while the node goes down needs its leases until it is released.
            guard let self, !self.isReleasing else { return }
            self.loop.spawn { await self.renewLeases() }
            self.keepLeases()
        }
    }

    private func renewLeases() async {
        let messages = Array(claims)
        guard !messages.isEmpty,
            let held = try? await store.renewLeases(
                of: messages,
                node: configuration.node,
                lease: configuration.lease
            ),
            !isReleasing
        else { return }
        // A run that another node has taken over is not ours to tell of any more.
        for run in runs.values where !held.messages.contains(run.claim.message) {
            guard messages.contains(run.claim.message) else { continue }
            lose(run)
        }
        obey(held.stops)
    }

    /// Lets go of a run that is another node's by now.
    func lose(_ run: ActiveRun) {
        logger.warning("lease lost; run taken over", metadata: ["message": "\(run.claim.message)"])
        runs[run.request] = nil
        leave(run.claim.message)
        run.cancel()
        letGo(run.claim)
    }

    /// Has what grows of an answer elsewhere followed from here on. Its watchers have its text so far,
    /// and must not be told it again as if it were new.
    func letGo(_ claim: ClaimedRun) {
        if hub.isWatched(claim.conversation) {
            onLost(claim)
        } else {
            hub.dropAnswer(claim.message, in: claim.conversation)
        }
    }

    /// An answer is not made here any more.
    func leave(_ message: MessageID) {
        claims.remove(message)
        stopping.remove(message)
        clearSuspect(message)
    }

    /// Ends the node's work: what grows may go on for a while, and what is not done then goes back to
    /// the queue with its text so far: the next node, or this one's next life, goes on with it.
    package func drain(within period: Duration) async {
        isDraining = true
        let deadline = loop.now + period
        while !claims.isEmpty, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { break }
        }
        await release()
    }

    /// Gives what is not done back to the queue with its text so far, and begins nothing more.
    func release() async {
        isDraining = true
        isReleasing = true
        await keepLast()
        for run in runs.values { run.cancel() }
        do {
            try await store.releaseLeases(node: configuration.node)
        } catch {
            logger.warning(
                "releasing leases failed; they will expire",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
