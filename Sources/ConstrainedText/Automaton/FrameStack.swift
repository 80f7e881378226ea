// The stacks of the ways to read a text. A stack is its top frame, which names the one below, so
// stacks share what they have in common.

/// The frames of an automaton.
struct FrameStack {
    /// Below all frames: the end of the text.
    static let bottom: Int32 = 0

    /// An open sequence or repetition.
    struct Frame: Hashable {
        /// The sequence or repetition.
        var node: Int32
        /// The next part of the sequence, or how often a repetition was begun.
        var index: Int32
        /// The frame below.
        var next: Int32
    }

    private var frames = [Frame(node: -1, index: 0, next: -1)]
    private var costs: [Int32] = [0]
    private var depths: [Int32] = [0]
    private var numbers: [Frame: Int32] = [:]

    var count: Int { frames.count }

    func frame(_ number: Int32) -> Frame { frames[Int(number)] }

    /// The fewest tokens from a frame to the end of the text.
    func cost(of number: Int32) -> Int32 { costs[Int(number)] }

    /// The number of arrays and objects that are open.
    func depth(of number: Int32) -> Int32 { depths[Int(number)] }

    /// The number of a frame.
    mutating func push(_ frame: Frame, _ grammar: Grammar, _ costs: GrammarCosts) -> Int32 {
        if let number = numbers[frame] { return number }
        let number = Int32(frames.count)
        numbers[frame] = number
        frames.append(frame)
        var cost = self.costs[Int(frame.next)]
        var depth = depths[Int(frame.next)]
        switch grammar.nodes[Int(frame.node)] {
        case .sequence(let parts, let isContainer):
            for part in parts[Int(frame.index)...] {
                cost = GrammarCosts.sum(cost, costs.nodes[Int(part)])
            }
            if isContainer { depth += 1 }
        case .repetition(let body, let min, _):
            let missing = GrammarCosts.product(
                max(0, min - frame.index),
                costs.nodes[Int(body)]
            )
            cost = GrammarCosts.sum(cost, missing)
        case .literal, .scalar, .choice, .rule: break
        }
        self.costs.append(cost)
        depths.append(depth)
        return number
    }

    /// How often the repetition of an item's scalar may still be begun; 0 if the item is in none.
    func repetitionsLeft(of item: Automaton.Item, _ grammar: Grammar) -> Int32 {
        guard item.next != Self.bottom else { return 0 }
        let frame = frames[Int(item.next)]
        guard case .repetition(let body, _, let max) = grammar.nodes[Int(frame.node)],
            case .scalar(item.terminal.number, _) = grammar.nodes[Int(body)]
        else { return 0 }
        return max == Grammar.unlimited ? max : max - frame.index
    }

    /// Copies a frame and those below it from another stack.
    mutating func copy(
        _ number: Int32,
        from other: FrameStack,
        _ copies: inout [Int32: Int32],
        _ grammar: Grammar,
        _ costs: GrammarCosts
    ) -> Int32 {
        var path: [Int32] = []
        var below = number
        while copies[below] == nil {
            path.append(below)
            below = other.frames[Int(below)].next
        }
        var copy = copies[below] ?? Self.bottom
        for number in path.reversed() {
            var frame = other.frames[Int(number)]
            frame.next = copy
            copy = push(frame, grammar, costs)
            copies[number] = copy
        }
        return copy
    }
}
