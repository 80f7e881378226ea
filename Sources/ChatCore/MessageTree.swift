// A conversation's messages as a tree: which are siblings, and which branch a reader sees. The
// database stores the same tree and answers the same questions; clients keep the part that they
// have received. Tests compare both with this value.

public import ChatProtocol

/// The messages of one conversation by parent; siblings in the order of creation.
///
/// Any message names a branch: from the first message through that one, then down, always to the
/// newest reply.
public struct MessageTree: Sendable, Hashable {
    private struct Node: Sendable, Hashable {
        let parent: MessageID?
        var children: [MessageID] = []
    }

    private var nodes: [MessageID: Node] = [:]
    private var roots: [MessageID] = []
    /// Replies to unknown messages, by those messages.
    private var orphans: [MessageID: [MessageID]] = [:]
    /// The default leaf, for readers who have selected no branch: the message that was created
    /// last. If that was deleted: the leaf of the branch through its parent.
    public private(set) var newest: MessageID?

    /// A tree without messages.
    public init() {}

    /// Whether the tree knows a message.
    public func contains(_ id: MessageID) -> Bool { nodes[id] != nil }

    /// A message's parent; nil for a first message and for an unknown one.
    public func parent(of id: MessageID) -> MessageID? { nodes[id]?.parent }

    /// The replies to a message, or the first messages for nil; oldest first.
    public func children(of id: MessageID?) -> [MessageID] {
        guard let id else { return roots }
        return nodes[id]?.children ?? orphans[id] ?? []
    }

    /// A message and its siblings, oldest first.
    public func siblings(of id: MessageID) -> [MessageID] {
        nodes[id].map { children(of: $0.parent) } ?? []
    }

    // MARK: Branches

    /// The last message of the branch through `id`; nil if `id` is unknown.
    public func leaf(through id: MessageID) -> MessageID? {
        guard contains(id) else { return nil }
        var leaf = id
        while let next = nodes[leaf]?.children.last { leaf = next }
        return leaf
    }

    /// The branch through `id`, oldest first; empty if `id` is unknown.
    public func branch(through id: MessageID) -> [MessageID] {
        var branch: [MessageID] = []
        var next = leaf(through: id)
        while let id = next, let node = nodes[id] {
            branch.append(id)
            next = node.parent
        }
        return branch.reversed()
    }

    /// The branch that a reader sees.
    /// - Parameter selected: a message of the branch that they selected; nil to follow the newest
    ///   message.
    /// - Returns: the messages, oldest first.
    public func shownBranch(selected: MessageID?) -> [MessageID] {
        let chosen = selected.flatMap { contains($0) ? $0 : nil } ?? newest
        return chosen.map { branch(through: $0) } ?? []
    }

    // MARK: Changes

    /// Adds a new message, which becomes the newest.
    public mutating func insert(_ id: MessageID, below parent: MessageID?) {
        add(id, below: parent)
        newest = id
    }

    /// Adds an existing message that was loaded, perhaps with its siblings.
    /// - Parameters:
    ///   - id: the message.
    ///   - parent: its parent.
    ///   - siblings: it and its siblings, oldest first, as they were loaded; siblings that only the
    ///     tree has were created later.
    public mutating func learn(
        _ id: MessageID,
        below parent: MessageID?,
        siblings: [MessageID] = []
    ) {
        add(id, below: parent)
        guard siblings.count > 1 else { return }
        for sibling in siblings { add(sibling, below: parent) }
        let told = Set(siblings)
        set(children: siblings + children(of: parent).filter { !told.contains($0) }, of: parent)
    }

    /// Sets the newest of the known messages.
    public mutating func setNewest(_ id: MessageID?) { newest = id }

    /// Removes a deleted message with its descendants.
    /// - Returns: the removed messages, parents first.
    @discardableResult
    public mutating func remove(_ id: MessageID) -> [MessageID] {
        guard contains(id) else { return [] }
        var removed = [id]
        var next = 0
        while next < removed.count {
            removed += children(of: removed[next])
            next += 1
        }
        remove(removed)
        return removed
    }

    /// Removes deleted messages: one, followed by its descendants.
    public mutating func remove(_ ids: [MessageID]) {
        let place = ids.first.flatMap { parent(of: $0) }
        let gone = Set(ids)
        for id in ids {
            orphans[id] = nil
            guard let node = nodes.removeValue(forKey: id) else { continue }
            // Descendants are removed as a whole; only the first message has siblings that stay.
            if node.parent.map({ gone.contains($0) }) != true {
                set(children: children(of: node.parent).filter { $0 != id }, of: node.parent)
            }
        }
        if let newest, gone.contains(newest) {
            self.newest = (place ?? roots.last).flatMap { leaf(through: $0) }
        }
    }

    private mutating func add(_ id: MessageID, below parent: MessageID?) {
        guard nodes[id] == nil else { return }
        // Replies that arrived before their parent were noted as orphans.
        nodes[id] = Node(parent: parent, children: orphans.removeValue(forKey: id) ?? [])
        set(children: children(of: parent) + [id], of: parent)
    }

    private mutating func set(children: [MessageID], of parent: MessageID?) {
        guard let parent else {
            roots = children
            return
        }
        if nodes[parent] == nil {
            orphans[parent] = children
        } else {
            nodes[parent]?.children = children
        }
    }
}
