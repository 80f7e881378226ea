// The queue of all nodes in this node's memory: reads the rows, and selects the runs to claim.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

/// Reads the queue, and selects from it.
final class QueueReader {
    /// Maximum rows of the queue per query.
    private static let rowCountMax = 20_000
    /// Minimum time between two reads of the rows; ten times the duration of a read, if that is
    /// longer. Each message that another node stores notifies this one.
    private static let readingPause = Duration.milliseconds(20)
    /// Maximum time that a notification waits for a read: a slow read may have waited for the
    /// database to become available again.
    private static let readingPauseMax = Duration.milliseconds(500)
    /// How long a run is left to another node that still has its conversation in its KV cache.
    private static let warmPause = Duration.milliseconds(300)
    /// How long a node counts as alive after it was seen at work.
    private static let aliveSpan = Duration.seconds(30)

    private unowned let dispatcher: RunDispatcher
    private let loop: EventLoop
    private let node: UUID
    private(set) var mirror: QueueMirror
    /// The measured durations and lengths of answers.
    var estimate = StartEstimate()
    /// How long the last read took.
    private(set) var readingSpan = Duration.zero
    /// Whether the rows may have changes that the mirror lacks.
    private var isStale = true
    private var nextReading: ContinuousClock.Instant
    private var isReadingDue = false
    private var isReading = false
    private var isWarmPauseDue = false
    /// Since when a run is left to another node that has its conversation in its KV cache.
    private var warmSince: [MessageID: ContinuousClock.Instant] = [:]
    /// When other nodes were last seen at work.
    private var nodesSeen: [UUID: ContinuousClock.Instant] = [:]

    init(_ dispatcher: RunDispatcher) {
        self.dispatcher = dispatcher
        loop = dispatcher.loop
        node = dispatcher.configuration.node
        mirror = QueueMirror(limits: dispatcher.configuration.limits)
        nextReading = loop.now
    }

    // MARK: Changes on this node

    /// Adds a queued run.
    func push(_ row: QueueRow) {
        mirror.push(expected(row).answer)
        if row.answer.warmNode.map(isElsewhere) == true { warmSince[row.answer.message] = loop.now }
    }

    /// Adds a run that the transaction that stored it has claimed.
    func pushClaimed(_ row: QueueRow) {
        mirror.push(expected(row).answer)
        mirror.start(row.answer.message)
    }

    /// Whether no run of any node is known to wait, and the rows have not changed as far as known: a
    /// new run would be the next to start.
    var isKnownEmpty: Bool { !isStale && !isReading && mirror.queue.waiting.isEmpty }

    /// Notes that the rows may have changed.
    func markStale() { isStale = true }

    /// Removes a queued run that has ended.
    func forget(_ message: MessageID) {
        mirror.forget(message)
        warmSince[message] = nil
    }

    /// Removes a run that could not be claimed: another node has it, or it has ended.
    func lostRace(for message: MessageID) {
        mirror.forget(message)
        isStale = true
    }

    /// Returns selected runs that were not claimed.
    func putBack(_ messages: [MessageID]) { mirror.putBack(messages) }

    /// Notes the end of a run of this node.
    func finished(_ message: MessageID, _ outcome: RunOutcome) {
        mirror.finish(
            message,
            tokens: outcome.usage.map { $0.promptTokens - $0.cachedTokens + $0.completionTokens }
        )
    }

    /// Notes that this node no longer has a run: if it committed no end, the rows show its state.
    func left(_ message: MessageID) {
        guard mirror.queue.running[message] != nil else { return }
        mirror.finish(message, tokens: nil)
        isStale = true
    }

    // MARK: Reading

    /// Reads the rows if they may have changed; after a pause if the last read was a moment ago.
    func read() async {
        guard isStale else { return }
        let begin = loop.now
        guard begin >= nextReading else {
            guard !isReadingDue else { return }
            isReadingDue = true
            _ = loop.schedule(after: nextReading - begin) { [weak self] in
                self?.isReadingDue = false
                self?.dispatcher.claim()
            }
            return
        }
        isStale = false
        isReading = true
        mirror.beginReading()
        let rows = try? await dispatcher.store.queue.rows(limit: Self.rowCountMax)
        isReading = false
        readingSpan = loop.now - begin
        nextReading =
            loop.now + min(max(Self.readingPause, readingSpan * 10), Self.readingPauseMax)
        for row in rows ?? [] { notice(row) }
        mirror.endReading(
            rows?.map(expected),
            isWhole: (rows?.count ?? 0) < Self.rowCountMax,
            own: dispatcher.runs.messages
        )
        if rows != nil {
            warmSince = warmSince.filter { mirror.queue.waiting[$0.key] != nil }
        }
    }

    /// Notes which nodes are at work, and since when runs wait for the nodes that have their
    /// conversations in their KV caches.
    private func notice(_ row: QueueRow) {
        if row.isLeased, let owner = row.owner, owner != node { nodesSeen[owner] = loop.now }
        guard !row.isLeased, row.answer.warmNode.map(isElsewhere) == true,
            warmSince[row.answer.message] == nil
        else { return }
        warmSince[row.answer.message] = loop.now
    }

    /// The row with corrected estimates of the lengths of prompt and answer.
    private func expected(_ row: QueueRow) -> QueueRow {
        var row = row
        let limit =
            row.answer.answerTokens > 0
            ? row.answer.answerTokens : dispatcher.configuration.maxTokens
        row.answer.answerTokens = estimate.answerTokens(for: row.answer.user, atMost: limit)
        row.answer.promptTokens = min(
            estimate.promptTokens(guess: row.answer.promptTokens),
            dispatcher.pool?.contextLength ?? .max
        )
        return row
    }

    // MARK: Selecting

    /// The next runs to claim, which count as running afterwards.
    /// - Parameters:
    ///   - count: maximum runs.
    ///   - models: the models whose runs this node can execute.
    ///   - isQuarantineFree: whether one of them may need quarantine.
    /// - Returns: the messages of the runs.
    func choose(
        atMost count: Int,
        _ models: ModelFilter,
        isQuarantineFree: Bool
    ) -> [MessageID] {
        var isQuarantineFree = isQuarantineFree
        var chosen: [MessageID] = []
        while chosen.count < count {
            let next = mirror.next {
                models.allows($0.model) && (isQuarantineFree || !$0.needsQuarantine)
                    && !isLeftToWarmNode($0)
            }
            guard let next else { break }
            if next.needsQuarantine { isQuarantineFree = false }
            warmSince[next.message] = nil
            chosen.append(next.message)
        }
        return chosen
    }

    /// Whether a run should be left to another node for a moment, because that node need not read
    /// the whole prompt again.
    private func isLeftToWarmNode(_ answer: QueuedAnswer) -> Bool {
        guard let since = warmSince[answer.message] else { return false }
        let left = Self.warmPause - (loop.now - since)
        guard left > .zero else { return false }
        if !isWarmPauseDue {
            isWarmPauseDue = true
            _ = loop.schedule(after: left) { [weak self] in
                self?.isWarmPauseDue = false
                self?.dispatcher.wake()
            }
        }
        return true
    }

    /// Whether a node is another one, and was at work recently.
    private func isElsewhere(_ other: UUID) -> Bool {
        guard other != node, let seen = nodesSeen[other] else { return false }
        return loop.now - seen < Self.aliveSpan
    }
}
