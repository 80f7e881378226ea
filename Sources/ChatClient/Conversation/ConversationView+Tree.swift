// Which branch the view shows. The selection belongs to this view: selections of other users, or of this
// user on other devices, do not change it. A view with a selected branch stays on it; others follow the
// newest branch.

import ChatCore
public import ChatProtocol

extension ConversationView {
    /// The siblings of a message including itself, oldest first; also those that the view has not
    /// loaded.
    public func siblings(of id: MessageID) -> [MessageID] { tree.siblings(of: id) }

    /// Adds loaded messages: older ones, or those of another branch.
    /// - Returns: what changed, in order.
    public mutating func learn(_ messages: [Message]) -> [Change] {
        for message in messages where known[message.id] == nil { learn(message) }
        return show()
    }

    /// Shows the branch through a message that the view has, or for nil the newest branch.
    ///
    /// Messages that the view lacks must be added before: `message.select` and `message.list`
    /// return a branch.
    /// - Returns: what changed, in order.
    public mutating func select(_ message: MessageID?) -> [Change] {
        guard let message else {
            selected = nil
            return show()
        }
        guard known[message] != nil else { return [] }
        selected = tree.leaf(through: message)
        return show()
    }

    /// Follows the newest branch, whose last messages are `page`.
    /// - Returns: what changed, in order.
    public mutating func followNewest(_ page: [Message]) -> [Change] {
        for message in page where known[message.id] == nil { learn(message) }
        if let last = page.last { tree.setNewest(last.id) }
        return select(nil)
    }

    // MARK: Changes

    /// Adds a loaded message.
    mutating func learn(_ message: Message) {
        guard !deleted.contains(message.id) else { return }
        known[message.id] = message
        let siblings = (message.siblings ?? []).filter { !deleted.contains($0) }
        tree.learn(message.id, below: message.parent, siblings: siblings)
    }

    /// Adds a new message.
    mutating func insert(_ message: Message) -> [Change] {
        learn(message)
        tree.insert(message.id, below: message.parent)
        return [.created(message.id)] + noteSiblings(below: message.parent) + show()
    }

    /// Removes deleted messages.
    mutating func remove(_ ids: [MessageID]) -> [Change] {
        guard let first = ids.first else { return [] }
        let isKnown = tree.contains(first)
        let parent = tree.parent(of: first)
        let hidShown = ids.contains { isShown($0) }
        deleted.formUnion(ids)
        tree.remove(ids)
        for id in ids {
            known[id] = nil
            queuePositions[id] = nil
        }
        if let chosen = selected, deleted.contains(chosen) { selected = parent }
        let changes: [Change] = [.removed(ids)] + noteSiblings(below: parent) + show()
        // The deletion reached further up than the view's messages, or removed all of them: only
        // the server knows the rest.
        if hidShown, !isKnown || shown.isEmpty { mismatch = .missedBranch(nil) }
        return changes
    }

    /// Updates the number of siblings.
    private mutating func noteSiblings(below parent: MessageID?) -> [Change] {
        let siblings = tree.children(of: parent)
        var changes: [Change] = []
        for id in siblings {
            guard let message = known[id] else { continue }
            let told = siblings.count > 1 ? siblings : nil
            if message.siblings == told { continue }
            known[id]?.siblings = told
            changes.append(.siblings(id))
        }
        return changes
    }

    /// Recomputes the visible branch.
    mutating func show() -> [Change] {
        let before = shown
        let branch = tree.shownBranch(selected: selected)
        if let leaf = branch.last, known[leaf] == nil {
            mismatch = .missedBranch(leaf)
            return []
        }
        let missing = branch.lastIndex { known[$0] == nil }
        shown = Array(branch[((missing ?? -1) + 1)...])
        return shown.starts(with: before) ? [] : [.switched]
    }
}
