// Beginnings that were read before: their keys and values, kept while memory lasts.
//
// A tree for each scope and factor set; a node is a page of positions and the tokens that they were
// read from, its children are what followed. A conversation's branches share their trunk, and two
// scopes share nothing, whatever their tokens, but for published prompts: those whose prompts begin
// with whole pages of one have a tree in common, in which each of them sees such pages and its own.

package import Checkpoints
package import PhiModel

/// The pages of finished sequences, by their tokens. Not Sendable: it lives on the engine's thread.
package final class PrefixCache {
    /// Who shares, and how keys are rotated.
    package struct Scope: Hashable {
        let name: String
        let ropeFactors: RopeFactors
        /// The pages at the beginning that are everybody's.
        let publishedPages: Int

        /// The scope `name`, for keys that are rotated by `ropeFactors`.
        /// - Parameters:
        ///   - name: what its requests have in common.
        ///   - ropeFactors: how their keys are rotated.
        ///   - publishedCount: how many tokens at their beginning are a published prompt's.
        package init(name: String, ropeFactors: RopeFactors, publishedCount: Int = 0) {
            self.name = name
            self.ropeFactors = ropeFactors
            publishedPages = publishedCount / KeyValuePool.pagePositions
        }

        fileprivate var tree: Tree {
            Tree(name: publishedPages > 0 ? nil : name, ropeFactors: ropeFactors)
        }
    }

    /// Whose nodes are in one tree: those of a scope, or, without a name, of all that begin with
    /// published pages.
    fileprivate struct Tree: Hashable {
        let name: String?
        let ropeFactors: RopeFactors
    }

    /// What is here of a scope's own.
    private struct Holding {
        var pageCount = 0
        /// Whether nothing of it was given up.
        var isWhole: Bool
    }

    /// What is there of a sequence.
    package struct Match {
        package fileprivate(set) var pages: [KeyValuePage] = []
        /// Positions, of the last page perhaps only the first ones.
        package fileprivate(set) var count = 0
    }

    /// A way along a sequence's pages, and how far one has come. Keeps no page.
    package struct Walk {
        package let tokens: [TokenID]
        package let scope: Scope
        /// Where one stands; nil before the beginning, and where that was given up.
        fileprivate weak var node: Node?
        /// The number of the page that follows.
        fileprivate var next = 0

        /// A way that has not begun.
        package init(along tokens: [TokenID], in scope: Scope) {
            self.tokens = tokens
            self.scope = scope
        }
    }

    /// A page and what follows it; the root of a tree has none.
    fileprivate final class Node {
        let tokens: ArraySlice<TokenID>
        var page: KeyValuePage?
        /// Who may see it; nil for everybody in the tree.
        let owner: Scope?
        var children: [Node] = []
        var lastUse = 0

        init(_ tokens: ArraySlice<TokenID>, _ page: KeyValuePage?, owner: Scope?) {
            self.tokens = tokens
            self.page = page
            self.owner = owner
        }

        var isFull: Bool { tokens.count == KeyValuePool.pagePositions }

        /// Whether a running sequence, or the disk, looks at the page.
        var isInUse: Bool { !isKnownUniquelyReferenced(&page) }
    }

    /// One pass over the tree makes room for at least this share of it.
    private static let evictedShare = 64

    private var roots: [Tree: Node] = [:]
    private var holdings: [Scope: Holding] = [:]
    /// The number of the latest use.
    private var uses = 0
    /// Pages in the tree.
    package private(set) var pageCount = 0

    /// A cache of nothing.
    package init() {}

    // MARK: - Looking up and adding

    /// The longest beginning of `tokens` that was read in this scope.
    package func match(_ tokens: ArraySlice<TokenID>, in scope: Scope) -> Match {
        uses += 1
        var match = Match()
        for (node, count) in path(of: tokens, in: scope) {
            guard let page = node.page else { break }
            node.lastUse = uses
            match.pages.append(page)
            match.count += count
        }
        return match
    }

    /// How many of `tokens` `match` would find. Does not count as a use.
    package func matchCount(_ tokens: ArraySlice<TokenID>, in scope: Scope) -> Int {
        path(of: tokens, in: scope).reduce(0) { $0 + $1.count }
    }

    /// The pages of a walk with these numbers, as far as they are here with all that they have of its
    /// tokens. Does not count as a use. Pages before those of the last call are passed again.
    package func pages(_ numbers: Range<Int>, along walk: inout Walk) -> [KeyValuePage] {
        if walk.node == nil || walk.next > numbers.lowerBound {
            walk.node = roots[walk.scope.tree]
            walk.next = 0
        }
        var pages: [KeyValuePage] = []
        var rest = walk.tokens.dropFirst(walk.next * KeyValuePool.pagePositions)
        while walk.next < numbers.upperBound, let node = walk.node {
            let chunk = rest.prefix(KeyValuePool.pagePositions)
            guard let step = step(from: node, along: chunk, in: walk.scope),
                step.count == chunk.count
            else { break }
            if walk.next >= numbers.lowerBound, let page = step.node.page { pages.append(page) }
            // Nothing follows a page that is not full.
            guard step.count == KeyValuePool.pagePositions else { break }
            rest = rest.dropFirst(step.count)
            walk.node = step.node
            walk.next += 1
        }
        return pages
    }

    /// The names of the scopes that have something here.
    package var scopes: Set<String> { Set(holdings.keys.map(\.name)) }

    /// Whether nothing of a scope was given up, so that there is no more of it elsewhere.
    package func isWhole(_ scope: Scope) -> Bool { holdings[scope]?.isWhole ?? false }

    /// The nodes of the longest beginning of `tokens`, and how many of each one's tokens that has.
    private func path(
        of tokens: ArraySlice<TokenID>,
        in scope: Scope
    ) -> [(node: Node, count: Int)] {
        var steps: [(node: Node, count: Int)] = []
        var rest = tokens
        var next = roots[scope.tree]
        while let node = next {
            guard let step = step(from: node, along: rest, in: scope) else { break }
            steps.append(step)
            rest = rest.dropFirst(step.count)
            next = step.count == KeyValuePool.pagePositions ? step.node : nil
        }
        return steps
    }

    /// The node behind another that has most of the beginning of `tokens`, and how many; nil where none
    /// has any.
    private func step(
        from node: Node,
        along tokens: ArraySlice<TokenID>,
        in scope: Scope
    ) -> (node: Node, count: Int)? {
        let best = node.children
            .filter { $0.owner == nil || $0.owner == scope }
            .map { (node: $0, count: Self.commonCount($0.tokens, tokens)) }
            .max { $0.count < $1.count }
        guard let best, best.count > 0 else { return nil }
        return best
    }

    /// Keeps the pages of `tokens`, as many as they fill.
    /// - Parameters:
    ///   - tokens: what was read.
    ///   - pages: what was read from them.
    ///   - scope: who may use them.
    ///   - isWhole: of a scope that has nothing of its own here yet, whether it has nothing elsewhere.
    package func insert(
        _ tokens: ArraySlice<TokenID>,
        _ pages: ArraySlice<KeyValuePage>,
        in scope: Scope,
        isWhole: Bool = true
    ) {
        uses += 1
        var node = roots[scope.tree, default: Node([], nil, owner: nil)]
        roots[scope.tree] = node
        if holdings[scope] == nil { holdings[scope] = Holding(isWhole: isWhole) }
        var rest = tokens
        for (index, page) in pages.enumerated() {
            let chunk = rest.prefix(KeyValuePool.pagePositions)
            rest = rest.dropFirst(KeyValuePool.pagePositions)
            let isPublished =
                index < scope.publishedPages && chunk.count == KeyValuePool.pagePositions
            let owner = isPublished ? nil : scope
            let siblings = node.children.filter { $0.owner == owner }
            if let known = siblings.first(where: { $0.tokens.starts(with: chunk) }) {
                known.lastUse = uses
                node = known
            } else {
                let child = Node(Array(chunk)[...], page, owner: owner)
                child.lastUse = uses
                node.children.append(child)
                count(child, 1)
                // What this page goes on from is of no use any more.
                for old in siblings where !old.isFull && chunk.starts(with: old.tokens) {
                    node.children.removeAll { $0 === old }
                    count(old, -1)
                }
                node = child
            }
        }
        forgetIfEmpty(scope)
    }

    /// Counts a node that has come (1) or gone (-1).
    private func count(_ node: Node, _ change: Int) {
        pageCount += change
        guard let owner = node.owner else { return }
        holdings[owner]?.pageCount += change
        forgetIfEmpty(owner)
    }

    private func forgetIfEmpty(_ scope: Scope) {
        if holdings[scope]?.pageCount == 0 { holdings[scope] = nil }
    }

    private static func commonCount(
        _ left: ArraySlice<TokenID>,
        _ right: ArraySlice<TokenID>
    ) -> Int {
        // Not by `prefix`, which collects what is equal: this is done for each page of a sequence.
        var count = 0
        for (one, other) in zip(left, right) {
            guard one == other else { break }
            count += 1
        }
        return count
    }

    // MARK: - Forgetting

    /// Lets go of pages until `pool` has `count` free ones: those first whose last use is longest
    /// ago, of a sequence the last ones first, and none that a running sequence looks at. What only
    /// the disk looks at goes with the page before it.
    package func makeRoom(for count: Int, in pool: KeyValuePool) {
        while pool.freePageCount < count {
            let before = pageCount
            evict(max(count - pool.freePageCount, pageCount / Self.evictedShare))
            guard pageCount < before else { return }
        }
    }

    /// Removes up to `limit` pages that nobody looks at, those first that were not used for
    /// longest. Whoever uses a page uses all those before it, so it goes before they do; only what
    /// is looked at may be left behind one that goes, and goes with it.
    private func evict(_ limit: Int) {
        var free: [Edge] = []
        for root in roots.values { Self.collectFree(of: root, &free) }
        // What was used last at the same time lies on one path.
        free.sort { ($0.node.lastUse, -$0.depth) < ($1.node.lastUse, -$1.depth) }
        for edge in free.prefix(limit) {
            edge.parent.children.removeAll { $0 === edge.node }
            giveUp(edge.node)
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    /// Counts a node as gone, and all that follow it.
    private func giveUp(_ node: Node) {
        var gone = [node]
        while let last = gone.popLast() {
            if let owner = last.owner { holdings[owner]?.isWhole = false }
            count(last, -1)
            gone += last.children
        }
    }

    /// Forgets all that was read for these scopes, but for published pages.
    package func remove(_ names: [String]) {
        // What follows a page of a scope is the same scope's.
        var pending = Array(roots.values)
        while let node = pending.popLast() {
            for child in node.children {
                guard let owner = child.owner else {
                    pending.append(child)
                    continue
                }
                guard names.contains(owner.name) else { continue }
                node.children.removeAll { $0 === child }
                giveUp(child)
            }
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    /// A node and the one that it follows.
    private struct Edge {
        let parent: Node
        let node: Node
        /// How many pages lie before it.
        let depth: Int
    }

    /// The nodes that nobody looks at.
    private static func collectFree(of root: Node, _ free: inout [Edge]) {
        // Not recursive: a long conversation is a long chain.
        var pending = [(node: root, depth: 0)]
        while let (parent, depth) = pending.popLast() {
            for node in parent.children {
                if !node.isInUse { free.append(Edge(parent: parent, node: node, depth: depth)) }
                pending.append((node, depth + 1))
            }
        }
    }
}
