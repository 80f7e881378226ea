// The queue in a node's memory. The node's own changes are applied at once, other nodes' changes
// whenever the rows are read. A value; if it is out of date, a claim fails, and nothing worse
// happens.

package import ChatCore
package import ChatProtocol
package import ChatStore
import FoundationEssentials

/// A node's copy of the queue.
package struct QueueMirror {
    /// The queued and running answers.
    package private(set) var queue: FairQueue
    /// Answers that changed here since a read of the rows began: the rows are out of date for them.
    private var changed: Set<MessageID>?

    package init(limits: FairQueue.Limits = FairQueue.Limits()) {
        queue = FairQueue(limits: limits)
    }

    /// Adds a queued answer.
    package mutating func push(_ answer: QueuedAnswer) {
        changed?.insert(answer.message)
        queue.push(answer)
    }

    /// Notes that a queued answer was claimed by the transaction that stored it.
    package mutating func start(_ message: MessageID) {
        changed?.insert(message)
        queue.start(message)
    }

    /// The next answer to start, which counts as running afterwards.
    package mutating func next(where isAllowed: (QueuedAnswer) -> Bool) -> QueuedAnswer? {
        let answer = queue.next(where: isAllowed)
        if let answer { changed?.insert(answer.message) }
        return answer
    }

    /// Ends a running answer that used so many tokens; nil if its outcome is unknown.
    package mutating func finish(_ message: MessageID, tokens: Int?) {
        changed?.insert(message)
        queue.finish(message, tokens: tokens)
    }

    /// Removes a queued answer that has ended, or that another node has claimed.
    package mutating func forget(_ message: MessageID) {
        changed?.insert(message)
        queue.remove(message)
        queue.finish(message, tokens: 0)
    }

    /// Returns answers to the queue that were not started.
    package mutating func putBack(_ messages: [MessageID]) {
        for message in messages {
            changed?.insert(message)
            queue.putBack(message)
        }
    }

    // MARK: Reading

    /// Begins a read of the rows.
    package mutating func beginReading() { changed = [] }

    /// Applies the rows that were read.
    /// - Parameters:
    ///   - rows: the rows; nil if the read failed.
    ///   - isWhole: whether these are all rows.
    ///   - own: the answers that run on this node, whatever their rows say.
    package mutating func endReading(_ rows: [QueueRow]?, isWhole: Bool, own: Set<MessageID>) {
        let changed = self.changed ?? []
        self.changed = nil
        guard let rows else { return }
        var seen = changed.union(own)
        // Queued answers first: a user with queued answers is charged for the running ones.
        let news = rows.filter { seen.insert($0.answer.message).inserted }
        for row in news where !row.isLeased { take(row) }
        for row in news where row.isLeased { take(row) }
        guard isWhole else { return }
        for message in queue.waiting.keys where !seen.contains(message) { queue.remove(message) }
        for message in queue.running.keys where !seen.contains(message) {
            queue.finish(message, tokens: nil)
        }
    }

    private mutating func take(_ row: QueueRow) {
        let message = row.answer.message
        if row.isLeased {
            queue.push(row.answer)
            queue.start(message)
            return
        }
        queue.putBack(message)
        if let known = queue.waiting[message],
            known.model != row.answer.model || known.warmNode != row.answer.warmNode
                || known.hasBegun != row.answer.hasBegun
                || known.needsQuarantine != row.answer.needsQuarantine
        {
            queue.remove(message)
        }
        queue.push(row.answer)
    }
}
