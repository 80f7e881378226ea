// Beginnings that were read before: their keys and values, kept while memory lasts.
//
// A tree for each scope and factor set; a node is a page of positions and the tokens that they were
// read from, its children are what followed. A conversation's branches share their trunk, and two
// scopes share nothing, whatever their tokens.

package import Checkpoints
package import PhiModel

/// The pages of finished sequences, by their tokens. Not Sendable: it lives on the engine's thread.
package final class PrefixCache {
    /// Who shares, and how keys are rotated.
    package struct Scope: Hashable {
        let name: String
        let ropeFactors: RopeFactors

        /// The scope `name`, for keys that are rotated by `ropeFactors`.
        package init(name: String, ropeFactors: RopeFactors) {
            self.name = name
            self.ropeFactors = ropeFactors
        }
    }

    /// What is there of a sequence.
    package struct Match {
        package fileprivate(set) var pages: [KeyValuePage] = []
        /// Positions, of the last page perhaps only the first ones.
        package fileprivate(set) var count = 0
    }

    /// A page and what follows it; the root of a scope has none.
    private final class Node {
        let tokens: ArraySlice<TokenID>
        var page: KeyValuePage?
        var children: [Node] = []
        var lastUse = 0
        /// Of a root: whether all is here that its scope has read.
        var isWhole = true

        init(_ tokens: ArraySlice<TokenID>, _ page: KeyValuePage?) {
            self.tokens = tokens
            self.page = page
        }

        var isFull: Bool { tokens.count == KeyValuePool.pagePositions }

        /// Whether a sequence that is running looks at the page.
        var isInUse: Bool { !isKnownUniquelyReferenced(&page) }
    }

    /// One pass over the tree makes room for at least this share of it.
    private static let evictedShare = 64

    private var roots: [Scope: Node] = [:]
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

    /// The first pages of `tokens`, each with all that it has of them. Does not count as a use.
    package func pages(of tokens: [TokenID], in scope: Scope) -> [KeyValuePage] {
        let steps = path(of: tokens[...], in: scope)
        let count = steps.reduce(0) { $0 + $1.count }
        let whole = steps.prefix { $0.count == KeyValuePool.pagePositions }
        return (count == tokens.count ? steps[...] : whole).compactMap { $0.node.page }
    }

    /// Whether nothing of a scope was given up, so that there is no more of it elsewhere.
    package func isWhole(_ scope: Scope) -> Bool { roots[scope]?.isWhole ?? false }

    /// The nodes of the longest beginning of `tokens`, and how many of each one's tokens that has.
    private func path(
        of tokens: ArraySlice<TokenID>,
        in scope: Scope
    ) -> [(node: Node, count: Int)] {
        var steps: [(node: Node, count: Int)] = []
        var rest = tokens
        var next = roots[scope]
        while let node = next {
            let best = node.children
                .map { (node: $0, count: Self.commonCount($0.tokens, rest)) }
                .max { $0.count < $1.count }
            guard let best, best.count > 0 else { break }
            steps.append(best)
            rest = rest.dropFirst(best.count)
            next = best.count == KeyValuePool.pagePositions ? best.node : nil
        }
        return steps
    }

    /// Keeps the pages of `tokens`, as many as they fill.
    /// - Parameters:
    ///   - tokens: what was read.
    ///   - pages: what was read from them.
    ///   - scope: who may use them.
    ///   - isWhole: of a scope of which nothing is here yet, whether there is nothing elsewhere.
    package func insert(
        _ tokens: ArraySlice<TokenID>,
        _ pages: ArraySlice<KeyValuePage>,
        in scope: Scope,
        isWhole: Bool = true
    ) {
        uses += 1
        var node: Node
        if let root = roots[scope] {
            node = root
        } else {
            node = Node([], nil)
            node.isWhole = isWhole
            roots[scope] = node
        }
        var rest = tokens
        for page in pages {
            let chunk = rest.prefix(KeyValuePool.pagePositions)
            rest = rest.dropFirst(KeyValuePool.pagePositions)
            if let known = node.children.first(where: { $0.tokens.starts(with: chunk) }) {
                known.lastUse = uses
                node = known
            } else {
                // What this page goes on from is of no use any more.
                let shorter = node.children.count
                node.children.removeAll { !$0.isFull && chunk.starts(with: $0.tokens) }
                pageCount += 1 + node.children.count - shorter
                let child = Node(Array(chunk)[...], page)
                child.lastUse = uses
                node.children.append(child)
                node = child
            }
        }
    }

    private static func commonCount(
        _ left: ArraySlice<TokenID>,
        _ right: ArraySlice<TokenID>
    ) -> Int {
        zip(left, right).prefix { $0 == $1 }.count
    }

    // MARK: - Forgetting

    /// Lets go of pages until `pool` has `count` free ones: those first whose last use is longest
    /// ago, of a sequence the last ones first, and none that a running sequence looks at.
    package func makeRoom(for count: Int, in pool: KeyValuePool) {
        while pool.freePageCount < count {
            let before = pageCount
            evict(max(count - pool.freePageCount, pageCount / Self.evictedShare))
            guard pageCount < before else { return }
        }
    }

    /// Removes up to `count` leaves, those first that were not used for longest.
    private func evict(_ count: Int) {
        var leaves: [Leaf] = []
        for root in roots.values { Self.collectLeaves(of: root, &leaves) }
        leaves.sort { $0.node.lastUse < $1.node.lastUse }
        for leaf in leaves.prefix(count) {
            leaf.parent.children.removeAll { $0 === leaf.node }
            leaf.root.isWhole = false
            pageCount -= 1
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    /// Forgets all that was read for these scopes.
    package func remove(_ names: [String]) {
        for (scope, root) in roots where names.contains(scope.name) {
            var pending = root.children
            while let node = pending.popLast() {
                pageCount -= 1
                pending += node.children
            }
            roots[scope] = nil
        }
    }

    private struct Leaf {
        let root: Node
        let parent: Node
        let node: Node
    }

    private static func collectLeaves(of root: Node, _ leaves: inout [Leaf]) {
        // Not recursive: a long conversation is a long chain.
        var pending = [root]
        while let node = pending.popLast() {
            for child in node.children {
                if !child.children.isEmpty {
                    pending.append(child)
                } else if !child.isInUse {
                    leaves.append(Leaf(root: root, parent: node, node: child))
                }
            }
        }
    }
}
