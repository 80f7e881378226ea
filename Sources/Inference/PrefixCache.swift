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
        guard var node = roots[scope] else { return match }
        while true {
            let rest = tokens.dropFirst(match.count)
            let best = node.children
                .map { (node: $0, count: Self.commonCount($0.tokens, rest)) }
                .max { $0.count < $1.count }
            guard let best, best.count > 0, let page = best.node.page else { return match }
            best.node.lastUse = uses
            match.pages.append(page)
            match.count += best.count
            guard best.count == KeyValuePool.pagePositions else { return match }
            node = best.node
        }
    }

    /// Keeps the pages of `tokens`, as many as they fill.
    package func insert(
        _ tokens: ArraySlice<TokenID>,
        _ pages: ArraySlice<KeyValuePage>,
        in scope: Scope
    ) {
        uses += 1
        var node = roots[scope, default: Node([], nil)]
        roots[scope] = node
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
        var leaves: [(parent: Node, leaf: Node)] = []
        for root in roots.values { Self.collectLeaves(of: root, &leaves) }
        leaves.sort { $0.leaf.lastUse < $1.leaf.lastUse }
        for (parent, leaf) in leaves.prefix(count) {
            parent.children.removeAll { $0 === leaf }
            pageCount -= 1
        }
        roots = roots.filter { !$0.value.children.isEmpty }
    }

    private static func collectLeaves(
        of root: Node,
        _ leaves: inout [(parent: Node, leaf: Node)]
    ) {
        // Not recursive: a long conversation is a long chain.
        var pending = [root]
        while let node = pending.popLast() {
            for child in node.children {
                if !child.children.isEmpty {
                    pending.append(child)
                } else if !child.isInUse {
                    leaves.append((node, child))
                }
            }
        }
    }
}
