// How few tokens the parts of a grammar take: an upper bound for each part, since every part is
// counted with tokens of its own.

/// The tokens that the shortest texts of a grammar take.
struct GrammarCosts: Sendable {
    /// More than any answer has: the cost of what has no end.
    static let never = Int32.max / 4

    let trie: TokenTrie
    /// The cost of each node.
    private(set) var nodes: [Int32] = []
    /// For each literal, the cost of its rest from each position; empty for other nodes.
    private var literals: [[Int32]] = []
    /// The costs of the sets, without and with escapes.
    private var sets: [Int32] = []

    init(_ grammar: Grammar, _ trie: TokenTrie) {
        self.trie = trie
        for number in Int32(0)..<Int32(grammar.sets.count) {
            for kind in [Terminal.Kind.scalar, .escapedScalar] {
                let ending = Terminal(kind: kind, number: number).ending(grammar)
                let fewest = trie.fewestTokens(ending)[0]
                // After some bytes of a scalar another one may be the shortest end, so its bytes
                // count one by one.
                let isLong = fewest < Self.never && ending.first.map { $0 >= 0x80 } ?? false
                sets.append(isLong ? Int32(ending.count) : fewest)
            }
        }
        literals = grammar.nodes.map { node in
            if case .literal(let bytes) = node { trie.fewestTokens(bytes) } else { [] }
        }
        nodes = [Int32](repeating: Self.never, count: grammar.nodes.count)
        // Rules may refer to later nodes: repeated until nothing gets shorter.
        var rules = [Int32](repeating: Self.never, count: grammar.rules.count)
        var changed = true
        while changed {
            for number in grammar.nodes.indices {
                nodes[number] = cost(of: number, grammar, rules)
            }
            let shorter = grammar.rules.map { nodes[Int($0)] }
            changed = shorter != rules
            rules = shorter
        }
    }

    private func cost(of number: Int, _ grammar: Grammar, _ rules: [Int32]) -> Int32 {
        switch grammar.nodes[number] {
        case .literal: literals[number][0]
        case .scalar(let set, let isEscaped): sets[2 * Int(set) + (isEscaped ? 1 : 0)]
        case .sequence(let parts, _): parts.reduce(0) { Self.sum($0, nodes[Int($1)]) }
        case .choice(let options): options.map { nodes[Int($0)] }.min() ?? Self.never
        case .repetition(let body, let min, _): Self.product(min, nodes[Int(body)])
        case .rule(let rule): rules[Int(rule)]
        }
    }

    /// The cost of what is left of a literal or a scalar.
    func cost(of terminal: Terminal, _ grammar: Grammar) -> Int32 {
        switch terminal.kind {
        case .continuation, .anyContinuation: trie.hasAllBytes ? Int32(terminal.left) : Self.never
        case .literal: literals[Int(terminal.number)][Int(terminal.value)]
        case .scalar: sets[2 * Int(terminal.number)]
        case .escapedScalar: sets[2 * Int(terminal.number) + 1]
        default: trie.fewestTokens(terminal.ending(grammar))[0]
        }
    }

    /// The sum, or `never`.
    static func sum(_ one: Int32, _ two: Int32) -> Int32 { Swift.min(one + two, never) }

    /// The product, or `never`.
    static func product(_ count: Int32, _ cost: Int32) -> Int32 {
        Int32(Swift.min(Int(count) * Int(cost), Int(never)))
    }
}
