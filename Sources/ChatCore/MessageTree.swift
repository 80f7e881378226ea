// A conversation's messages as a tree: which stand beside each other, which branch a reader sees. The
// database holds the same tree and answers the same questions; clients keep as much of it as they have
// been told. This value is the rule that both are held against.

public import ChatProtocol

/// The messages of one conversation by their parents, siblings in the order in which they were made.
///
/// A branch is named by any message of it: it runs from the first message through that one, and from
/// there down, always to the newest reply.
public struct MessageTree: Sendable, Hashable {
    private struct Node: Sendable, Hashable {
        let parent: MessageID?
        var children: [MessageID] = []
    }

    private var nodes: [MessageID: Node] = [:]
    private var roots: [MessageID] = []
    /// Replies to messages that are not here, by those messages.
    private var orphans: [MessageID: [MessageID]] = [:]
    /// Where the conversation goes on for those who have chosen no branch: the message that was made
    /// last. Where that was deleted, the end of the branch through the place where it was cut off.
    public private(set) var newest: MessageID?

    /// A tree without messages.
    public init() {}

    /// Whether the tree has, or was told of, a message.
    public func contains(_ id: MessageID) -> Bool { nodes[id] != nil }

    /// The message that one follows; nil for a first message, and for one that is not here.
    public func parent(of id: MessageID) -> MessageID? { nodes[id]?.parent }

    /// The replies to a message, or, for nil, the first messages; oldest first.
    public func children(of id: MessageID?) -> [MessageID] {
        guard let id else { return roots }
        return nodes[id]?.children ?? orphans[id] ?? []
    }

    /// The messages that stand in one place, this one among them; oldest first.
    public func siblings(of id: MessageID) -> [MessageID] {
        nodes[id].map { children(of: $0.parent) } ?? []
    }

    // MARK: Branches

    /// The last message of the branch through `id`; nil where that is not here.
    public func leaf(through id: MessageID) -> MessageID? {
        guard contains(id) else { return nil }
        var leaf = id
        while let next = nodes[leaf]?.children.last { leaf = next }
        return leaf
    }

    /// The branch through `id`, oldest first; empty where that is not here.
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
    /// - Parameter selected: the message whose branch they chose; nil where they chose none and
    ///   follow what is newest.
    /// - Returns: the messages, oldest first.
    public func shownBranch(selected: MessageID?) -> [MessageID] {
        let chosen = selected.flatMap { contains($0) ? $0 : nil } ?? newest
        return chosen.map { branch(through: $0) } ?? []
    }

    // MARK: Changes

    /// A message was made: it is the newest of all.
    public mutating func insert(_ id: MessageID, below parent: MessageID?) {
        add(id, below: parent)
        newest = id
    }

    /// A message that was there before became known, perhaps with those beside it.
    /// - Parameters:
    ///   - id: which.
    ///   - parent: the message that it follows.
    ///   - siblings: all that stand in its place, oldest first, as they were told; those that the
    ///     tree has and the list has not were made later.
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

    /// Of the messages that are known, this one is the newest.
    public mutating func setNewest(_ id: MessageID?) { newest = id }

    /// A message was deleted, and with it all below.
    /// - Returns: what went, each before what was below it.
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

    /// Messages were deleted: one, and after it all below.
    public mutating func remove(_ ids: [MessageID]) {
        let place = ids.first.flatMap { parent(of: $0) }
        let gone = Set(ids)
        for id in ids {
            orphans[id] = nil
            guard let node = nodes.removeValue(forKey: id) else { continue }
            // What is below goes as a whole; only the first one's place has others.
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
        // A parent that nobody told of has its replies noted for when it comes.
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
