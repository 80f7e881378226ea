// The prefix cache: KV cache pages of earlier sequences, kept while memory suffices.
//
// One tree for each scope, adapter and factor set; a node is a page of positions with its tokens, and its
// children are continuations. Branches of a conversation share their common prefix. Scopes share
// nothing, even for equal tokens, except published prompts: scopes whose prompts start with whole
// pages of one share a tree, in which each of them sees these pages and its own.

package import Checkpoints
package import PhiModel

/// The pages of finished sequences by their tokens. Not Sendable: it lives on the engine's thread.
package final class PrefixCache {
    /// The sharing scope, and what the keys depend on besides the tokens: the adapter and the factor
    /// set.
    package struct Scope: Hashable {
        let name: String
        let ropeFactors: RopeFactors
        /// The hash of the adapter; nil for none.
        let adapter: String?
        /// The number of leading pages that all scopes share.
        let publishedPages: Int

        /// Creates a scope.
        /// - Parameters:
        ///   - name: the name of the scope.
        ///   - ropeFactors: the factor set of the keys.
        ///   - adapter: the hash of the adapter; nil for none.
        ///   - publishedCount: the number of leading tokens of a published prompt.
        package init(
            name: String,
            ropeFactors: RopeFactors,
            adapter: String? = nil,
            publishedCount: Int = 0
        ) {
            self.name = name
            self.ropeFactors = ropeFactors
            self.adapter = adapter
            publishedPages = publishedCount / KeyValuePool.pagePositions
        }

        fileprivate var tree: Tree {
            Tree(
                name: publishedPages > 0 ? nil : name,
                ropeFactors: ropeFactors,
                adapter: adapter
            )
        }
    }

    /// Identifies a tree: that of a scope, or, without a name, that of all sequences with published
    /// pages.
    fileprivate struct Tree: Hashable {
        let name: String?
        let ropeFactors: RopeFactors
        let adapter: String?
    }

    /// The own pages of a scope.
    private struct ScopePages {
        var pageCount = 0
        /// Whether none of them were evicted.
        var isWhole: Bool
    }

    /// The cached part of a sequence.
    package struct Match {
        package fileprivate(set) var pages: [KeyValuePage] = []
        /// The number of positions; the last page may be used in part.
        package fileprivate(set) var count = 0
    }

    /// A position in the pages of a sequence. Retains no page.
    package struct Walk {
        package let tokens: [TokenID]
        package let scope: Scope
        /// The current node; nil at the start, and if it was evicted.
        fileprivate weak var node: Node?
        /// The number of the next page.
        fileprivate var next = 0

        /// Creates a walk at the start.
        package init(along tokens: [TokenID], in scope: Scope) {
            self.tokens = tokens
            self.scope = scope
        }
    }

    /// A page and its continuations; the root of a tree has no page.
    fileprivate final class Node {
        let tokens: ArraySlice<TokenID>
        var page: KeyValuePage?
        /// The scope that may use it; nil for all in the tree.
        let owner: Scope?
        var children: [Node] = []
        var lastUse = 0

        init(_ tokens: ArraySlice<TokenID>, _ page: KeyValuePage?, owner: Scope?) {
            self.tokens = tokens
            self.page = page
            self.owner = owner
        }

        var isFull: Bool { tokens.count == KeyValuePool.pagePositions }

        /// Whether a running sequence or the store uses the page.
        var isInUse: Bool { !isKnownUniquelyReferenced(&page) }
    }

    /// An eviction pass frees at least this fraction of the tree.
    private static let evictedShare = 64

    private var roots: [Tree: Node] = [:]
    private var scopePages: [Scope: ScopePages] = [:]
    /// The number of the latest use.
    private var uses = 0
    /// Pages in the tree.
    package private(set) var pageCount = 0

    /// Creates an empty cache.
    package init() {}

    // MARK: - Looking up and adding

    /// The longest cached prefix of `tokens` in this scope.
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

    /// The number of `tokens` that `match` would find. Does not count as a use.
    package func matchCount(_ tokens: ArraySlice<TokenID>, in scope: Scope) -> Int {
        path(of: tokens, in: scope).reduce(0) { $0 + $1.count }
    }

    /// The pages of a walk with these numbers, as far as they are cached with all of their tokens
    /// in the sequence. Does not count as a use. Pages before those of the last call are walked
    /// again.
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
            // No page follows one that is not full.
            guard step.count == KeyValuePool.pagePositions else { break }
            rest = rest.dropFirst(step.count)
            walk.node = step.node
            walk.next += 1
        }
        return pages
    }

    /// The names of scopes with pages.
    package var scopes: Set<String> { Set(scopePages.keys.map(\.name)) }

    /// Whether no page of a scope was evicted, so that there is no more of it on disk.
    package func isWhole(_ scope: Scope) -> Bool { scopePages[scope]?.isWhole ?? false }

    /// The nodes of the longest cached prefix of `tokens`, with the number of matching tokens of
    /// each.
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

    /// The child with the longest match of the start of `tokens`, and its length; nil if none
    /// matches.
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

    /// Caches the pages of `tokens`, as many as they fill.
    /// - Parameters:
    ///   - tokens: the tokens of the pages.
    ///   - pages: the pages.
    ///   - scope: the scope that may use them.
    ///   - isWhole: for a scope without pages here, whether it has none on disk either.
    package func insert(
        _ tokens: ArraySlice<TokenID>,
        _ pages: ArraySlice<KeyValuePage>,
        in scope: Scope,
        isWhole: Bool = true
    ) {
        uses += 1
        var node = roots[scope.tree, default: Node([], nil, owner: nil)]
        roots[scope.tree] = node
        if scopePages[scope] == nil { scopePages[scope] = ScopePages(isWhole: isWhole) }
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
                // A partial page that this page extends is not needed any more.
                for old in siblings where !old.isFull && chunk.starts(with: old.tokens) {
                    node.children.removeAll { $0 === old }
                    count(old, -1)
                }
                node = child
            }
        }
        forgetIfEmpty(scope)
    }

    /// Counts an added (1) or removed (-1) node.
    private func count(_ node: Node, _ change: Int) {
        pageCount += change
        guard let owner = node.owner else { return }
        scopePages[owner]?.pageCount += change
        forgetIfEmpty(owner)
    }

    private func forgetIfEmpty(_ scope: Scope) {
        if scopePages[scope]?.pageCount == 0 { scopePages[scope] = nil }
    }

    private static func commonCount(
        _ left: ArraySlice<TokenID>,
        _ right: ArraySlice<TokenID>
    ) -> Int {
        // Not with `prefix`, which allocates an array: this runs for each page of a sequence.
        var count = 0
        for (one, other) in zip(left, right) {
            guard one == other else { break }
            count += 1
        }
        return count
    }

    // MARK: - Eviction and removal

    /// Evicts pages until `pool` has `count` free ones: least recently used first, of a sequence
    /// the last ones first, and none that a running sequence uses. A page that only the store uses
    /// is evicted with the page before it.
    package func makeRoom(for count: Int, in pool: KeyValuePool) {
        while pool.freePageCount < count {
            let before = pageCount
            evict(max(count - pool.freePageCount, pageCount / Self.evictedShare))
            guard pageCount < before else { return }
        }
    }

    /// Evicts up to `limit` unused pages, least recently used first. Whoever uses a page uses all
    /// pages before it, so a page is evicted before those; only a page that is in use may come
    /// after an evicted one, and is removed with it.
    private func evict(_ limit: Int) {
        var free: [Edge] = []
        for root in roots.values { Self.collectFree(of: root, &free) }
        // Nodes with the same last use are on one path.
        free.sort { ($0.node.lastUse, -$0.depth) < ($1.node.lastUse, -$1.depth) }
        for edge in free.prefix(limit) {
            edge.parent.children.removeAll { $0 === edge.node }
            countAsRemoved(edge.node)
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    /// Counts a node and its descendants as removed.
    private func countAsRemoved(_ node: Node) {
        var gone = [node]
        while let last = gone.popLast() {
            if let owner = last.owner { scopePages[owner]?.isWhole = false }
            count(last, -1)
            gone += last.children
        }
    }

    /// Removes all pages of these scopes except published ones.
    package func remove(_ names: [String]) {
        // The descendants of a scope's page belong to the same scope.
        var pending = Array(roots.values)
        while let node = pending.popLast() {
            for child in node.children {
                guard let owner = child.owner else {
                    pending.append(child)
                    continue
                }
                guard names.contains(owner.name) else { continue }
                node.children.removeAll { $0 === child }
                countAsRemoved(child)
            }
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    /// A node and its parent.
    private struct Edge {
        let parent: Node
        let node: Node
        /// The number of pages before it.
        let depth: Int
    }

    /// Collects the unused nodes.
    private static func collectFree(of root: Node, _ free: inout [Edge]) {
        // Not recursive, since a long conversation is a long chain.
        var pending = [(node: root, depth: 0)]
        while let (parent, depth) = pending.popLast() {
            for node in parent.children {
                if !node.isInUse { free.append(Edge(parent: parent, node: node, depth: depth)) }
                pending.append((node, depth + 1))
            }
        }
    }
}
