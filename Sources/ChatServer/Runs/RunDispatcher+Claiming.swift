// Which runs this node executes next: chosen from the queue in memory, claimed in the database by their
// messages. A claim costs the same however long the queue is and however much was generated before.

import ChatCore
package import ChatProtocol
package import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    /// The longest time between two readings of the queue that nobody asked for: a run whose node died
    /// waits for one.
    private static let pollPauseMax = Duration.seconds(2)
    /// For each slot, the most runs whose end waits for the database; with more nothing is claimed.
    private static let storingPerSlotMax = 8

    /// A run of this node's own clients is queued, committed a moment ago.
    package func enqueue(_ row: QueueRow?) {
        guard let row else { return }
        queue.push(row)
        claim()
    }

    /// The queue may have changed in ways of which this node was not notified: it is read again.
    package func wake() {
        queue.markStale()
        claim()
    }

    /// A queued run is gone.
    package func forget(_ message: MessageID) {
        queue.forget(message)
        claim()
    }

    /// Claims what free slots can take.
    func claim() {
        guard !isDraining, pool != nil else { return }
        guard !isClaiming else {
            claimAgain = true
            return
        }
        isClaiming = true
        loop.spawn { [self] in
            repeat {
                claimAgain = false
                await queue.read()
                while await claimNext() {}
            } while claimAgain
            isClaiming = false
            summaries.startIfIdle()
            positions.broadcast()
        }
    }

    /// Reads the queue once a second, for what no notification reported: leases that expired, and what
    /// other nodes did. A long queue is read less often.
    func pollQueue() {
        let pause = min(max(.seconds(1), queue.readingSpan * 20), Self.pollPauseMax)
        _ = loop.schedule(after: pause) { [weak self] in
            guard let self, !isDraining else { return }
            wake()
            pollQueue()
        }
    }

    /// Claims as many runs as slots are free.
    /// - Returns: whether there may be more.
    private func claimNext() async -> Bool {
        guard let pool, !isDraining, runs.storingCount < pool.slots * Self.storingPerSlotMax else {
            return false
        }
        let free = pool.slots - runs.occupiedSlotCount
        guard free > 0 else { return false }
        // Each round leaves fewer in the queue's copy, whether they become ours or not.
        let chosen = queue.choose(atMost: free, pool.board.claimable)
        guard !chosen.isEmpty else { return false }
        let begin = loop.now
        do {
            let claimed = try await store.claim(
                chosen,
                node: configuration.node,
                lease: configuration.lease
            )
            // One may be ours already: its lease expired while the database was unavailable.
            for claim in claimed where !runs.holds(claim.message) { take(claim, chosenAt: begin) }
            let ours = Set(claimed.map(\.message))
            for message in chosen where !ours.contains(message) && !runs.holds(message) {
                // Another node was faster, or it has ended, or an older one stands before it.
                queue.lostRace(for: message)
            }
            return true
        } catch {
            // Each poll tries again; the pool has logged that the database is unavailable.
            logger.debug("claim failed", metadata: ["error": "\(error)"])
            queue.putBack(chosen.filter { !runs.holds($0) })
            return false
        }
    }

    /// Begins a run that was just claimed, unless it has to wait in quarantine.
    private func take(_ claim: ClaimedRun, chosenAt: ContinuousClock.Instant) {
        let run = ActiveRun(claim: claim, chosenAt: chosenAt)
        runs.add(run)
        // Its earlier attempts ended without text where it is not the first.
        let isQuarantined = claim.attempt > 1
        if !isQuarantined || quarantine.admit(claim.message) { handle(.begin, of: run) }
    }
}
