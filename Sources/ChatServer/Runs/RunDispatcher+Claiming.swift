// Selects the next runs from the queue in memory, and claims them in the database by their
// messages. The cost of a claim depends neither on the length of the queue nor on the number of
// past runs.

import ChatCore
package import ChatProtocol
package import ChatStore
import EventLoop
import Logging

extension RunDispatcher {
    /// Maximum time between two reads of the queue without a notification: it delays the takeover
    /// of a dead node's runs.
    private static let pollPauseMax = Duration.seconds(2)
    /// Maximum runs per slot whose end is not yet stored; with more, nothing is claimed.
    private static let storingPerSlotMax = 8

    /// Free slots for answers that are about to be stored, if no queued answer would start before
    /// them. They are reserved until `withdraw`.
    /// - Parameter count: the number of answers.
    /// - Returns: the slots; nil if the answers have to be queued.
    package func offerSlots(atMost count: Int) -> FreeSlots? {
        guard let pool, !isDraining, runs.storingCount < pool.slots * Self.storingPerSlotMax,
            queue.isKnownEmpty
        else { return nil }
        let free = min(count, claimableSlotCount(of: pool))
        guard free > 0 else { return nil }
        offeredSlotCount += free
        return FreeSlots(
            node: configuration.node,
            lease: configuration.lease,
            count: free,
            models: pool.board.claimable
        )
    }

    /// Ends the reservation of slots, after the transaction that they were offered to.
    package func withdraw(_ offer: FreeSlots?) {
        guard let offer else { return }
        offeredSlotCount -= offer.count
        if !queue.isKnownEmpty { claim() }
    }

    /// Slots for which runs may be claimed.
    private func claimableSlotCount(of pool: EnginePool) -> Int {
        pool.slots - runs.occupiedSlotCount - offeredSlotCount
    }

    /// Adds runs that a client of this node has just queued and committed, and begins those that
    /// were claimed by the same commit.
    /// - Parameter rows: the rows.
    package func enqueue(_ rows: [QueueRow]) { enqueue(rows, counted: nil) }

    /// The same.
    /// - Parameters:
    ///   - rows: the rows.
    ///   - counted: the prompt of all of them, if it was built already.
    func enqueue(_ rows: [QueueRow], counted: CountedPrompt?) {
        guard !rows.isEmpty else { return }
        var isQueued = false
        for row in rows {
            if let claim = row.claim {
                queue.pushClaimed(row)
                begin(claim, row.input.map { ActiveRun.Known(input: $0, counted: counted) })
            } else {
                queue.push(row)
                isQueued = true
            }
        }
        if isQueued { claim() }
    }

    /// Begins a run that the transaction of its turn has claimed.
    private func begin(_ claim: ClaimedRun, _ known: ActiveRun.Known?) {
        // `release` returns it to the queue.
        guard !isReleasing else { return }
        begin(ActiveRun(claim: claim, chosenAt: loop.now, known: known))
    }

    /// Returns a claimed run to the queue.
    private func giveBack(_ claim: ClaimedRun) {
        loop.spawn { [self] in
            try? await store.queue.releaseLeases(node: configuration.node, of: claim.message)
            queue.lostRace(for: claim.message)
        }
    }

    /// Reads the queue again, which may have changed without a notification.
    package func wake() {
        queue.markStale()
        claim()
    }

    /// Removes a queued run that has ended.
    package func forget(_ message: MessageID) {
        queue.forget(message)
        claim()
    }

    /// Claims runs for the free slots.
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
            provideModels()
            idleWork.startIfIdle()
            positions.broadcast()
        }
    }

    /// Reads the queue once a second, to find expired leases and lost notifications. A long queue
    /// is read less often.
    func pollQueue() {
        let pause = min(max(.seconds(1), queue.readingSpan * 20), Self.pollPauseMax)
        _ = loop.schedule(after: pause) { [weak self] in
            guard let self, !isDraining else { return }
            wake()
            pollQueue()
        }
    }

    /// Claims a run for each free slot.
    /// - Returns: whether there may be more to claim.
    private func claimNext() async -> Bool {
        guard let pool, !isDraining, runs.storingCount < pool.slots * Self.storingPerSlotMax else {
            return false
        }
        let free = claimableSlotCount(of: pool)
        guard free > 0 else { return false }
        // Each iteration leaves fewer runs in the mirror, whether they are claimed or not.
        let chosen = queue.choose(
            atMost: free,
            pool.board.claimable,
            isQuarantineFree: quarantined == nil
        )
        guard !chosen.isEmpty else { return false }
        let begin = loop.now
        do {
            let claimed = try await store.queue.claim(
                chosen,
                node: configuration.node,
                lease: configuration.lease
            )
            // This node may have one already: its lease expired while the database was unavailable.
            for claim in claimed where !runs.holds(claim.message) { take(claim, chosenAt: begin) }
            let ours = Set(claimed.map(\.message))
            for message in chosen where !ours.contains(message) && !runs.holds(message) {
                // Another node has claimed it, or it has ended, or an older run of its conversation
                // is first.
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

    /// Begins a run that was just claimed.
    private func take(_ claim: ClaimedRun, chosenAt: ContinuousClock.Instant) {
        // `release` returns it to the queue.
        guard !isReleasing else { return }
        // After the first attempt, the earlier ones ended without text.
        if claim.attempt > 1 {
            // Chosen by a copy of the queue that did not know of the last attempt.
            guard quarantined == nil else { return giveBack(claim) }
            quarantined = claim.message
        }
        begin(ActiveRun(claim: claim, chosenAt: chosenAt))
    }
}
