// Which branch the view shows. It is the view's own matter: what others choose, or their user chooses
// elsewhere, changes nothing here. A view that shows a chosen branch stays on it; one that shows what is
// newest goes with that.

import ChatCore
public import ChatProtocol

extension ConversationView {
    /// The messages that stand in one place, this one among them, oldest first; also such as the
    /// view does not have.
    public func siblings(of id: MessageID) -> [MessageID] { tree.siblings(of: id) }

    /// Adds messages that the server was asked for: older ones, or those of another branch.
    /// - Returns: what changed, in order.
    public mutating func learn(_ messages: [Message]) -> [Change] {
        for message in messages where known[message.id] == nil { learn(message) }
        return show()
    }

    /// Shows the branch through a message that the view has, or, for nil, what is newest.
    ///
    /// What the view was not told of must be learned before: `message.select` and `message.list`
    /// answer with a branch.
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

    /// Takes the branch that ends with a page for the newest.
    /// - Returns: what changed, in order.
    public mutating func followNewest(_ page: [Message]) -> [Change] {
        for message in page where known[message.id] == nil { learn(message) }
        if let last = page.last { tree.setNewest(last.id) }
        return select(nil)
    }

    // MARK: Changes

    /// Adds a message that was there before.
    mutating func learn(_ message: Message) {
        guard !deleted.contains(message.id) else { return }
        known[message.id] = message
        let siblings = (message.siblings ?? []).filter { !deleted.contains($0) }
        tree.learn(message.id, below: message.parent, siblings: siblings)
    }

    /// Adds a message that was made now.
    mutating func insert(_ message: Message) -> [Change] {
        learn(message)
        tree.insert(message.id, below: message.parent)
        return [.created(message.id)] + noteSiblings(below: message.parent) + show()
    }

    /// Takes out what was deleted.
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
        // What was cut off further up than the view reaches, or all of it: the server knows the rest.
        if hidShown, !isKnown || shown.isEmpty { mismatch = .missedBranch(nil) }
        return changes
    }

    /// Tells the messages in one place how many they are.
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

    /// Works out what is shown.
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
