// How a node ends its runs on shutdown.

import ChatCore
import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    /// Shuts the dispatcher down: runs may continue for a while; the others are then returned to
    /// the queue with their checkpoints, from which another node or a restart resumes them.
    package func drain(within period: Duration) async {
        shutdown = max(shutdown, .draining)
        let deadline = loop.now + period
        while runs.count > 0, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { break }
        }
        await release()
    }

    /// Returns unfinished runs to the queue with their checkpoints, and begins no other, also none
    /// that is being claimed now. Runs that are being stopped may still end.
    func release() async {
        shutdown = .releasing
        for run in runs.all { handle(.release, of: run) }
        await checkpoints.storeLast()
        await releaseLeases()
        guard isClaimPending else { return }
        // What these transactions claim would stay leased to this node, which begins it no more.
        while isClaimPending {
            do { try await loop.sleep(for: .milliseconds(10)) } catch { return }
        }
        await releaseLeases()
    }

    /// Whether a transaction that may claim runs has begun and not ended.
    private var isClaimPending: Bool { isClaiming || offeredSlotCount > 0 }

    private func releaseLeases() async {
        do {
            try await store.queue.releaseLeases(node: configuration.node)
        } catch {
            logger.warning(
                "releasing leases failed; they will expire",
                metadata: ["error": "\(error)"]
            )
        }
    }
}
