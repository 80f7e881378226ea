// The ways that go on from frames and nodes without reading a byte.

/// Finds what can be read next.
struct Closure {
    /// A node that is to be read before a frame goes on; no node for the frame itself.
    private struct Visit: Hashable {
        var node: Int32
        var next: Int32
    }

    /// The ways found.
    var items: [Automaton.Item] = []
    /// Whether the text may end.
    var isEnd = false
    /// How much was looked at.
    private(set) var visitCount = 0
    private var visits: [Visit] = []
    /// What was looked at: a list while that is short, for then it is faster.
    private var seenFew: [Visit] = []
    private var seen: Set<Visit> = []
    private static let fewMax = 16

    /// Maximum number of visits: more are only needed by patterns that repeat what may be empty.
    private static let visitsMax = 8 * ConstraintLimits.itemsMax

    mutating func add(frame: Int32) { visits.append(Visit(node: -1, next: frame)) }

    mutating func add(node: Int32, next: Int32) { visits.append(Visit(node: node, next: next)) }

    /// Looks at all that was added. The shortest ends come first, so they are found even if there
    /// is too much to find.
    mutating func run(_ stack: inout FrameStack, _ grammar: Grammar, _ costs: GrammarCosts) {
        while let visit = visits.popLast(), visitCount < Self.visitsMax {
            visitCount += 1
            guard isNew(visit) else { continue }
            if visit.node < 0 {
                leave(visit.next, &stack, grammar, costs)
            } else {
                enter(visit, &stack, grammar, costs)
            }
        }
        visits.removeAll()
    }

    private mutating func isNew(_ visit: Visit) -> Bool {
        if seenFew.contains(visit) { return false }
        if seenFew.count < Self.fewMax {
            seenFew.append(visit)
            return true
        }
        return seen.insert(visit).inserted
    }

    /// Goes on with the frame `number`.
    private mutating func leave(
        _ number: Int32,
        _ stack: inout FrameStack,
        _ grammar: Grammar,
        _ costs: GrammarCosts
    ) {
        guard number != FrameStack.bottom else {
            isEnd = true
            return
        }
        let frame = stack.frame(number)
        switch grammar.nodes[Int(frame.node)] {
        case .sequence(let parts, _):
            add(part: Int(frame.index), of: parts, frame.node, frame.next, &stack, grammar, costs)
        case .repetition:
            `repeat`(frame.node, frame.index, frame.next, &stack, grammar, costs)
        case .literal, .scalar, .choice, .rule: break
        }
    }

    private mutating func enter(
        _ visit: Visit,
        _ stack: inout FrameStack,
        _ grammar: Grammar,
        _ costs: GrammarCosts
    ) {
        switch grammar.nodes[Int(visit.node)] {
        case .literal(let bytes):
            if bytes.isEmpty {
                add(frame: visit.next)
            } else {
                read(Terminal(kind: .literal, number: visit.node), visit.next)
            }
        case .scalar(let set, let isEscaped):
            read(Terminal(kind: isEscaped ? .escapedScalar : .scalar, number: set), visit.next)
        case .sequence(let parts, _):
            add(part: 0, of: parts, visit.node, visit.next, &stack, grammar, costs)
        case .choice(let options):
            if isDeep(visit.next, stack) {
                // The first of the shortest.
                let shortest = options.min { costs.nodes[Int($0)] < costs.nodes[Int($1)] }
                if let shortest { add(node: shortest, next: visit.next) }
            } else {
                for option in options.reversed() { add(node: option, next: visit.next) }
            }
        case .repetition:
            `repeat`(visit.node, 0, visit.next, &stack, grammar, costs)
        case .rule(let rule):
            add(node: grammar.rules[Int(rule)], next: visit.next)
        }
    }

    private mutating func read(_ terminal: Terminal, _ next: Int32) {
        items.append(Automaton.Item(terminal: terminal, next: next))
    }

    private mutating func add(
        part index: Int,
        of parts: [Int32],
        _ node: Int32,
        _ next: Int32,
        _ stack: inout FrameStack,
        _ grammar: Grammar,
        _ costs: GrammarCosts
    ) {
        var after = next
        if index + 1 < parts.count {
            let frame = FrameStack.Frame(node: node, index: Int32(index + 1), next: next)
            after = stack.push(frame, grammar, costs)
        }
        add(node: parts[index], next: after)
    }

    /// Begins a repetition once more, where it may be begun, or goes on after it.
    private mutating func `repeat`(
        _ node: Int32,
        _ count: Int32,
        _ next: Int32,
        _ stack: inout FrameStack,
        _ grammar: Grammar,
        _ costs: GrammarCosts
    ) {
        guard case .repetition(let body, let min, let max) = grammar.nodes[Int(node)] else {
            return
        }
        let mustRepeat = count < min
        if mustRepeat || (count < max && !isDeep(next, stack)) {
            var after = next
            if count + 1 < max {
                // Without a maximum only the minimum is counted.
                let begun = max == Grammar.unlimited ? Swift.min(count + 1, min) : count + 1
                let frame = FrameStack.Frame(node: node, index: begun, next: next)
                after = stack.push(frame, grammar, costs)
            }
            add(node: body, next: after)
        }
        if !mustRepeat { add(frame: next) }
    }

    /// Whether so many arrays and objects are open that the shortest way is taken.
    private func isDeep(_ frame: Int32, _ stack: FrameStack) -> Bool {
        stack.depth(of: frame) >= ConstraintLimits.answerDepthMax
    }
}
