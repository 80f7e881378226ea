// Builds grammars. Equal nodes are one node; nodes are simplified when they are made.

/// Builds a grammar from below.
struct GrammarBuilder {
    typealias NodeID = Grammar.NodeID

    /// Longer sequences stay parts of their own, so that a chain of them takes linear space.
    private static let mergedCountMax = 4

    private(set) var grammar = Grammar()
    private var numbers: [Grammar.Node: NodeID] = [:]
    private var setNumbers: [ScalarSet: Int32] = [:]
    /// Whether each node has the empty text.
    private var isNullable: [Bool] = []
    /// The size of all nodes with their lists.
    private var size = 0

    // MARK: - Nodes

    /// The bytes of `text`.
    mutating func literal(_ text: String) throws(ConstraintError) -> NodeID {
        try literal(Array(text.utf8))
    }

    mutating func literal(_ bytes: [UInt8]) throws(ConstraintError) -> NodeID {
        try node(.literal(bytes), isNullable: bytes.isEmpty)
    }

    /// The empty text.
    mutating func empty() throws(ConstraintError) -> NodeID { try literal([]) }

    /// What no text has.
    mutating func never() throws(ConstraintError) -> NodeID {
        try node(.choice([]), isNullable: false)
    }

    /// One scalar of `set`.
    mutating func scalar(
        _ set: ScalarSet,
        isEscaped: Bool = false
    ) throws(ConstraintError) -> NodeID {
        if set.isEmpty { return try never() }
        if let scalar = set.single.flatMap(Unicode.Scalar.init) {
            let text = String(scalar)
            return try literal(isEscaped ? JSONWriting.escaped(text) : Array(text.utf8))
        }
        let number = setNumbers[set] ?? Int32(grammar.sets.count)
        if Int(number) == grammar.sets.count {
            setNumbers[set] = number
            grammar.sets.append(set)
            size += set.ranges.count
        }
        return try node(.scalar(set: number, isEscaped: isEscaped), isNullable: false)
    }

    /// `parts` one after the other.
    mutating func sequence(
        _ parts: [NodeID],
        isContainer: Bool = false
    ) throws(ConstraintError) -> NodeID {
        var flat: [NodeID] = []
        for part in parts {
            if case .choice([]) = grammar.nodes[Int(part)] { return part }
            if case .sequence(let inner, false) = grammar.nodes[Int(part)],
                inner.count <= Self.mergedCountMax
            {
                for part in inner { try append(part, to: &flat) }
            } else {
                try append(part, to: &flat)
            }
        }
        if flat.isEmpty { return try empty() }
        if flat.count == 1, !isContainer { return flat[0] }
        return try node(
            .sequence(flat, isContainer: isContainer),
            isNullable: flat.allSatisfy { isNullable[Int($0)] }
        )
    }

    /// Appends a part; a literal is merged into one before it.
    private mutating func append(
        _ part: NodeID,
        to parts: inout [NodeID]
    ) throws(ConstraintError) {
        guard case .literal(let bytes) = grammar.nodes[Int(part)] else {
            parts.append(part)
            return
        }
        if bytes.isEmpty { return }
        if let last = parts.last, case .literal(let earlier) = grammar.nodes[Int(last)] {
            parts[parts.count - 1] = try literal(earlier + bytes)
        } else {
            parts.append(part)
        }
    }

    /// One of `options`.
    mutating func choice(_ options: [NodeID]) throws(ConstraintError) -> NodeID {
        var distinct: [NodeID] = []
        var seen: Set<NodeID> = []
        for option in options {
            if case .choice([]) = grammar.nodes[Int(option)] { continue }
            if seen.insert(option).inserted { distinct.append(option) }
        }
        if distinct.count == 1 { return distinct[0] }
        return try node(
            .choice(distinct),
            isNullable: distinct.contains { isNullable[Int($0)] }
        )
    }

    /// `body` or nothing.
    mutating func optional(_ body: NodeID) throws(ConstraintError) -> NodeID {
        try repetition(body, min: 0, max: 1)
    }

    /// `body` from `min` to `max` times; nil for no maximum.
    mutating func repetition(
        _ body: NodeID,
        min: Int,
        max: Int?
    ) throws(ConstraintError) -> NodeID {
        var body = body
        var min = min
        var max = max.map { Swift.min($0, ConstraintLimits.countMax) }
        guard min <= ConstraintLimits.countMax else {
            throw ConstraintError("a count is larger than \(ConstraintLimits.countMax)")
        }
        if isNullable[Int(body)] {
            // A repetition that may be empty anyway, so what is repeated need not be.
            min = 0
            while case .repetition(let inner, _, let innerMax) = grammar.nodes[Int(body)] {
                max = max.flatMap { outerMax in
                    innerMax == Grammar.unlimited
                        ? nil : Swift.min(Int(innerMax) * outerMax, ConstraintLimits.countMax)
                }
                body = inner
                if !isNullable[Int(body)] { break }
            }
        }
        if max == 0 { return try empty() }
        if case .literal([]) = grammar.nodes[Int(body)] { return body }
        if case .choice([]) = grammar.nodes[Int(body)] { return min == 0 ? try empty() : body }
        if min == 1, max == 1 { return body }
        return try node(
            .repetition(body, min: Int32(min), max: max.map(Int32.init) ?? Grammar.unlimited),
            isNullable: min == 0
        )
    }

    // MARK: - Rules

    /// A new rule, whose node is set later. A rule never has the empty text.
    mutating func rule() throws(ConstraintError) -> (number: Int32, node: NodeID) {
        let number = Int32(grammar.rules.count)
        grammar.rules.append(try never())
        return (number, try node(.rule(number), isNullable: false))
    }

    /// The node of a rule.
    mutating func rule(reusing number: Int32) throws(ConstraintError) -> NodeID {
        try node(.rule(number), isNullable: false)
    }

    /// Sets the node of a rule.
    mutating func define(_ rule: Int32, as body: NodeID) { grammar.rules[Int(rule)] = body }

    /// The grammar of texts of `root`.
    consuming func finish(_ root: NodeID) -> Grammar {
        grammar.root = root
        return grammar
    }

    private mutating func node(
        _ node: Grammar.Node,
        isNullable: Bool
    ) throws(ConstraintError) -> NodeID {
        if let number = numbers[node] { return number }
        switch node {
        case .literal(let bytes): size += 1 + bytes.count / 8
        case .sequence(let parts, _), .choice(let parts): size += 1 + parts.count
        case .scalar, .repetition, .rule: size += 1
        }
        guard size <= ConstraintLimits.nodesMax else {
            throw ConstraintError("it is too large: use fewer or simpler parts")
        }
        let number = NodeID(grammar.nodes.count)
        grammar.nodes.append(node)
        self.isNullable.append(isNullable)
        numbers[node] = number
        return number
    }
}
