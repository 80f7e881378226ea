// The queue in a node's memory: what this node itself puts there, begins and ends, at once; what others
// do, whenever the rows are read. A value; a copy that is out of date costs a claim that fails, no more.

package import ChatCore
package import ChatProtocol
package import ChatStore
import FoundationEssentials

/// A node's copy of the queue.
package struct QueueMirror {
    /// What waits and what is being made.
    package private(set) var queue: FairQueue
    /// Answers that changed here since a reading of the rows began: what it says of them is out of date.
    private var changed: Set<MessageID>?

    package init(limits: FairQueue.Limits = FairQueue.Limits()) {
        queue = FairQueue(limits: limits)
    }

    /// Takes an answer that waits.
    package mutating func push(_ answer: QueuedAnswer) {
        changed?.insert(answer.message)
        queue.push(answer)
    }

    /// Whose turn it is, taken as begun.
    package mutating func next(where isAllowed: (QueuedAnswer) -> Bool) -> QueuedAnswer? {
        let answer = queue.next(where: isAllowed)
        if let answer { changed?.insert(answer.message) }
        return answer
    }

    /// An answer was made, and took so many tokens; nil where it is not known what became of it.
    package mutating func finish(_ message: MessageID, tokens: Int?) {
        changed?.insert(message)
        queue.finish(message, tokens: tokens)
    }

    /// An answer that waited is gone, or is another node's.
    package mutating func forget(_ message: MessageID) {
        changed?.insert(message)
        queue.remove(message)
        queue.finish(message, tokens: 0)
    }

    /// Answers were not begun after all.
    package mutating func putBack(_ messages: [MessageID]) {
        for message in messages {
            changed?.insert(message)
            queue.putBack(message)
        }
    }

    // MARK: Reading

    /// A reading of the rows begins.
    package mutating func beginReading() { changed = [] }

    /// Takes what was read.
    /// - Parameters:
    ///   - rows: the rows; nil where they could not be read.
    ///   - isWhole: whether these are all.
    ///   - own: the answers that this node is making, whatever the rows say.
    package mutating func endReading(_ rows: [QueueRow]?, isWhole: Bool, own: Set<MessageID>) {
        let changed = self.changed ?? []
        self.changed = nil
        guard let rows else { return }
        var seen = changed.union(own)
        // What waits first: who has something waiting is charged for what of theirs is being made.
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
        {
            queue.remove(message)
        }
        queue.push(row.answer)
    }
}
