// How a node ends its runs on shutdown.

import ChatCore
import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    /// Ends the node's work: runs may go on for a while, and what is not done then goes back to the queue
    /// with its checkpoint, from which the next node, or this one's next life, resumes it.
    package func drain(within period: Duration) async {
        shutdown = max(shutdown, .draining)
        let deadline = loop.now + period
        while runs.count > 0, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(20)) } catch { break }
        }
        await release()
    }

    /// Gives what is not done back to the queue with its checkpoint, and begins nothing more. What is
    /// stopping may still finish.
    func release() async {
        shutdown = .releasing
        for run in runs.all { handle(.release, of: run) }
        await checkpoints.storeLast()
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
