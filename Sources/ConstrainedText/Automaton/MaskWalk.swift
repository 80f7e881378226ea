// Finds the tokens that may come next: one walk through the tree of tokens, with the automaton.
//
// A subtree whose first byte is not allowed is skipped. So is one whose tokens are all plain text
// where any plain text is allowed, as inside a string: that is nearly all of the vocabulary, and is
// why a walk takes less than a millisecond.

/// One walk through a vocabulary.
struct MaskWalk {
    /// The tokens found.
    private(set) var mask: TokenMask
    /// The most tokens that an answer still takes after one of them.
    private(set) var endCostMax: Int32 = 0

    private let automaton: Automaton
    private let trie: TokenTrie
    /// Tokens after which the answer takes more than this are not allowed.
    private let endCostLimit: Int32
    /// Plain tokens of up to this number of characters are in the mask from the start.
    private var plainRoom: UInt8 = 0

    /// A node whose children are looked at.
    private struct Level {
        /// The state after the node's text.
        var state: Automaton.State
        /// The end of its subtree.
        var end: Int32
        /// The number of characters of its text, if all are plain; otherwise `special`.
        var plainPath: UInt8
    }

    /// Walks from `state`.
    init(_ automaton: Automaton, from state: Automaton.State, endCostLimit: Int32, isFirst: Bool) {
        self.automaton = automaton
        trie = automaton.costs.trie
        self.endCostLimit = endCostLimit
        automaton.workLeft = ConstraintLimits.maskWorkMax
        automaton.isExhausted = false
        let withoutSpace = isFirst && trie.dropsLeadingSpace
        let figures = automaton.figures(state)
        if figures.plainRoom > 0, figures.plainCost <= endCostLimit, !withoutSpace {
            plainRoom = UInt8(min(figures.plainRoom, Int32(TokenTrie.special - 1)))
            endCostMax = figures.plainCost
            mask = trie.plainTokens(upTo: plainRoom)
        } else {
            mask = TokenMask(tokenLimit: trie.tokenLimit)
        }
        var words = mask.words
        words.withUnsafeMutableBufferPointer { words in
            trie.withNodes { nodes, tokens in
                walk(from: state, withoutSpace: withoutSpace, nodes, tokens, words)
            }
        }
        mask = TokenMask(words: words)
        if automaton.isExhausted, let token = automaton.firstTokenOfEnd(state) {
            mask.insert(token)
        }
    }

    private mutating func walk(
        from start: Automaton.State,
        withoutSpace: Bool,
        _ nodes: UnsafeBufferPointer<TokenTrie.Node>,
        _ tokens: UnsafeBufferPointer<Int32>,
        _ words: UnsafeMutableBufferPointer<UInt64>
    ) {
        let count = Int32(nodes.count - 1)
        var levels: [Level] = []
        var level = Level(state: start, end: count, plainPath: 0)
        var index: Int32 = 1
        while index < count {
            while index >= level.end { level = levels.removeLast() }
            let node = nodes[Int(index)]
            let isRefused = withoutSpace && levels.isEmpty && node.byte == UInt8(ascii: " ")
            if hasAll(of: node, in: level) {
                index = node.end
                continue
            }
            if !isRefused, accepts(node, in: level) {
                if !has(node, in: level) {
                    insert(node.firstToken..<nodes[Int(node.end)].firstToken, tokens, words)
                }
                index = node.end
                continue
            }
            let next = isRefused ? Automaton.dead : automaton.next(level.state, node.byte)
            if next == Automaton.dead {
                index = node.end
                continue
            }
            let own = node.firstToken..<nodes[Int(index) + 1].firstToken
            if !own.isEmpty {
                let endCost = automaton.figures(next).endCost
                if endCost <= endCostLimit {
                    endCostMax = max(endCostMax, endCost)
                    insert(own, tokens, words)
                }
            }
            index += 1
            if index < node.end {
                levels.append(level)
                level = Level(state: next, end: node.end, plainPath: node.plainPath)
            }
        }
    }

    /// Whether all tokens of a subtree are allowed for being plain text.
    private mutating func accepts(_ node: TokenTrie.Node, in level: Level) -> Bool {
        guard node.plainCount != TokenTrie.special else { return false }
        let figures = automaton.figures(level.state)
        guard Int32(node.plainCount) <= figures.plainRoom, figures.plainCost <= endCostLimit else {
            return false
        }
        endCostMax = max(endCostMax, figures.plainCost)
        return true
    }

    /// Whether a subtree has only plain tokens, and those of them that are allowed were in the mask
    /// from the start: the others have too many characters.
    private func hasAll(of node: TokenTrie.Node, in level: Level) -> Bool {
        node.plainCount != TokenTrie.special && plainRoom > 0
            && level.plainPath != TokenTrie.special
            && automaton.figures(level.state).hasOnePlainWay
    }

    /// Whether the plain tokens of a subtree were in the mask from the start.
    private func has(_ node: TokenTrie.Node, in level: Level) -> Bool {
        level.plainPath != TokenTrie.special
            && Int(level.plainPath) + Int(node.plainCount) <= Int(plainRoom)
    }

    /// Allows tokens by their positions in the tree's order.
    private func insert(
        _ range: Range<Int32>,
        _ tokens: UnsafeBufferPointer<Int32>,
        _ words: UnsafeMutableBufferPointer<UInt64>
    ) {
        for index in Int(range.lowerBound)..<Int(range.upperBound) {
            let token = tokens[index]
            words[Int(token) >> 6] |= 1 << UInt64(token & 63)
        }
    }
}
