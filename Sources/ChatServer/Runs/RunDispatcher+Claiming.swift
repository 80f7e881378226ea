// Which answers this node makes next: chosen from the queue in memory, claimed in the database by their
// ids. A claim costs the same however long the queue is and however much was made before.

import ChatCore
package import ChatProtocol
package import ChatStore
import EventLoop
import FoundationEssentials
import Logging

extension RunDispatcher {
    /// The most rows of the queue that are read at once.
    private static let rowCountMax = 20_000
    /// Two readings of the rows are at least so far apart, or ten times as far as one takes: each
    /// question that another node takes wakes this one.
    private static let readingPause = Duration.milliseconds(20)
    /// The longest that a wake-up waits for a reading: one that took long may have waited for the
    /// database to come back.
    private static let readingPauseMax = Duration.milliseconds(500)
    /// The longest time between two looks at the queue that nobody asked for: an answer whose node
    /// died waits for one.
    private static let pollPauseMax = Duration.seconds(2)
    /// How long an answer is left to another node that still knows its conversation.
    private static let warmPause = Duration.milliseconds(300)
    /// How long a node counts as alive after it was seen at work.
    private static let aliveSpan = Duration.seconds(30)

    /// An answer of this node's own clients waits, committed a moment ago.
    package func enqueue(_ row: QueueRow?) {
        guard let row else { return }
        mirror.push(expected(row).answer)
        if row.answer.warmNode.map(isElsewhere) == true { warmSince[row.answer.message] = loop.now }
        claim()
    }

    /// Something may wait, or be gone, that this node was not told of: the rows are read again.
    package func wake() {
        isStale = true
        claim()
    }

    /// An answer that waited is gone.
    package func forget(_ message: MessageID) {
        mirror.forget(message)
        warmSince[message] = nil
        claim()
    }

    /// Something may begin: call whenever a slot is free.
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
                await readQueue()
                while await claimNext() {}
            } while claimAgain
            isClaiming = false
            summaries.startIfIdle()
            tellPlaces()
        }
    }

    /// Looks at the queue once a second, for what no wake-up told of: leases that ran out, and what
    /// other nodes did. A long queue is looked at less often.
    func pollQueue() {
        let pause = min(max(.seconds(1), readingSpan * 20), Self.pollPauseMax)
        _ = loop.schedule(after: pause) { [weak self] in
            guard let self, !self.isDraining else { return }
            self.wake()
            self.pollQueue()
        }
    }

    // MARK: Reading

    private func readQueue() async {
        guard isStale else { return }
        let begin = loop.now
        guard begin >= nextReading else {
            guard !isReadingDue else { return }
            isReadingDue = true
            _ = loop.schedule(after: nextReading - begin) { [weak self] in
                self?.isReadingDue = false
                self?.claim()
            }
            return
        }
        isStale = false
        mirror.beginReading()
        let rows = try? await store.queueRows(limit: Self.rowCountMax)
        readingSpan = loop.now - begin
        nextReading =
            loop.now + min(max(Self.readingPause, readingSpan * 10), Self.readingPauseMax)
        for row in rows ?? [] { notice(row) }
        mirror.endReading(
            rows?.map(expected),
            isWhole: (rows?.count ?? 0) < Self.rowCountMax,
            own: claims
        )
        if rows != nil {
            warmSince = warmSince.filter { mirror.queue.waiting[$0.key] != nil }
        }
    }

    /// Notes who is at work, and since when an answer waits for the node that knows its conversation.
    private func notice(_ row: QueueRow) {
        if row.isLeased, let owner = row.owner, owner != configuration.node {
            nodesSeen[owner] = loop.now
        }
        guard !row.isLeased, row.answer.warmNode.map(isElsewhere) == true,
            warmSince[row.answer.message] == nil
        else { return }
        warmSince[row.answer.message] = loop.now
    }

    /// The row with what this node has learned of the lengths of prompts and answers.
    private func expected(_ row: QueueRow) -> QueueRow {
        var row = row
        let limit = row.answer.answerTokens > 0 ? row.answer.answerTokens : configuration.maxTokens
        row.answer.answerTokens = estimate.answerTokens(for: row.answer.user, atMost: limit)
        row.answer.promptTokens = min(
            estimate.promptTokens(guess: row.answer.promptTokens),
            pool?.contextLength ?? .max
        )
        return row
    }

    // MARK: Claiming

    /// Claims as many answers as slots are free.
    /// - Returns: whether there may be more.
    private func claimNext() async -> Bool {
        guard let pool, !isDraining, ending.count < pool.slots * 8 else { return false }
        let free = pool.slots - occupyingCount
        guard free > 0 else { return false }
        // Each round leaves fewer in the mirror, whether they become ours or not.
        let chosen = choose(atMost: free, pool.board.claimable)
        guard !chosen.isEmpty else { return false }
        let begin = loop.now
        do {
            let claimed = try await store.claim(
                chosen,
                node: configuration.node,
                lease: configuration.lease
            )
            // One may be ours already: its lease ran out while the database was away.
            for claim in claimed where claims.insert(claim.message).inserted {
                chosenAt[claim.message] = begin
                loop.spawn { [self] in await self.begin(claim, with: pool) }
            }
            let ours = Set(claimed.map(\.message))
            for message in chosen where !ours.contains(message) && !claims.contains(message) {
                // Another node was faster, or it has ended, or an older one stands before it.
                mirror.forget(message)
                isStale = true
            }
            return true
        } catch {
            // Each poll tries again; the pool has logged that the database is away.
            logger.debug("claim failed", metadata: ["error": "\(error)"])
            mirror.putBack(chosen.filter { !claims.contains($0) })
            return false
        }
    }

    private func choose(atMost count: Int, _ models: ModelFilter) -> [MessageID] {
        var chosen: [MessageID] = []
        while chosen.count < count {
            let next = mirror.next { models.allows($0.model) && !isLeftToWarmNode($0) }
            guard let next else { break }
            warmSince[next.message] = nil
            chosen.append(next.message)
        }
        return chosen
    }

    /// Whether an answer should be left to another node for a moment: that one need not read the whole
    /// prompt again.
    private func isLeftToWarmNode(_ answer: QueuedAnswer) -> Bool {
        guard let since = warmSince[answer.message] else { return false }
        let left = Self.warmPause - (loop.now - since)
        guard left > .zero else { return false }
        if !isWarmPauseDue {
            isWarmPauseDue = true
            _ = loop.schedule(after: left) { [weak self] in
                self?.isWarmPauseDue = false
                self?.wake()
            }
        }
        return true
    }

    /// Whether a node is another one, and was at work a moment ago.
    private func isElsewhere(_ node: UUID) -> Bool {
        guard node != configuration.node, let seen = nodesSeen[node] else { return false }
        return loop.now - seen < Self.aliveSpan
    }

    /// What becomes of answers that this node is not making any more: where it stored no end, the
    /// rows say it.
    func leave(_ messages: Set<MessageID>) {
        for message in messages {
            chosenAt[message] = nil
            guard mirror.queue.running[message] != nil else { continue }
            mirror.finish(message, tokens: nil)
            isStale = true
        }
    }
}
