// The automaton of a grammar: reads a text byte by byte. It is a pushdown automaton that follows
// all ways to read a text at once, and becomes a table while it is used: a set of ways is a state,
// and where a byte leads from a state is computed once.
//
// A way is what is read next and a stack of frames: the sequences and repetitions that are open.
// Stacks share their frames. Recursion makes stacks, counts make numbers in frames, so neither
// needs states in advance.

/// Follows texts of one grammar. Not Sendable: it grows while it is used.
final class Automaton {
    /// A position in the states.
    typealias State = Int32

    /// No text of the grammar goes on so.
    static let dead: State = -1
    private static let unknown: State = -2

    /// One way to read the text.
    struct Item: Hashable {
        var terminal: Terminal
        /// The frame that goes on after it.
        var next: Int32
    }

    private struct StateKey: Hashable {
        var items: [Item]
        var isEnd: Bool
    }

    /// What a walk through the vocabulary wants to know of a state.
    struct Figures {
        /// The fewest tokens to the end of the text.
        var endCost: Int32
        /// The number of plain characters that may follow without looking at them.
        var plainRoom: Int32
        /// The fewest tokens to the end on the way with that room.
        var plainCost: Int32
        /// Whether plain characters lead on no other way.
        var hasOnePlainWay = false
    }

    let grammar: Grammar
    let costs: GrammarCosts
    private var stack: FrameStack
    private var numbers: [StateKey: State] = [:]
    private var keys: [StateKey] = []
    /// Where each byte leads from each state.
    private let table: UnsafeMutablePointer<State>
    private let figures: UnsafeMutablePointer<Figures>

    /// The costs of incomplete escapes, which take long to compute.
    private var escapeCosts: [Terminal: Int32] = [:]
    /// Whether each set has all plain characters.
    private let arePlain: [Bool]

    /// What may still be computed; when it is used up, bytes that lead somewhere unknown count as
    /// not allowed.
    var workLeft = Int.max
    /// Whether a byte counted as not allowed for that reason, or because the automaton is full.
    var isExhausted = false

    /// The state at the start of a text.
    private(set) var start: State = 0

    init(_ grammar: Grammar, _ costs: GrammarCosts) {
        self.grammar = grammar
        self.costs = costs
        stack = FrameStack()
        arePlain = grammar.sets.map { $0.isSuperset(of: .plain) }
        table = .allocate(capacity: ConstraintLimits.statesMax * 256)
        figures = .allocate(capacity: ConstraintLimits.statesMax)
        reset()
    }

    deinit {
        table.deallocate()
        figures.deallocate()
    }

    private func reset() {
        numbers.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        var closure = Closure()
        closure.add(node: grammar.root, next: FrameStack.bottom)
        closure.run(&stack, grammar, costs)
        start = number(of: closure)
    }

    // MARK: - States

    /// Whether the text may end here.
    func isEnd(_ state: State) -> Bool { keys[Int(state)].isEnd }

    /// What a walk wants to know of a state.
    @inline(__always)
    func figures(_ state: State) -> Figures { figures[Int(state)] }

    /// The ways that a state follows.
    func items(_ state: State) -> [Item] { keys[Int(state)].items }

    /// Where `byte` leads.
    @inline(__always)
    func next(_ state: State, _ byte: UInt8) -> State {
        let known = table[Int(state) << 8 | Int(byte)]
        return known == Self.unknown ? compute(state, byte) : known
    }

    private func compute(_ state: State, _ byte: UInt8) -> State {
        guard workLeft > 0, keys.count < ConstraintLimits.statesMax,
            stack.count < ConstraintLimits.framesMax
        else {
            isExhausted = true
            return Self.dead
        }
        var closure = Closure()
        let items = keys[Int(state)].items
        for item in items {
            switch item.terminal.step(byte, grammar) {
            case .refused: break
            case .complete: closure.add(frame: item.next)
            case .rest(let rest): closure.items.append(Item(terminal: rest, next: item.next))
            }
        }
        closure.run(&stack, grammar, costs)
        workLeft -= items.count + 8 * closure.visitCount
        let next = number(of: closure)
        if Self.isPlain(byte), arePlainBytesAlike(items) {
            for other in UInt8(0x20)...0x7E where Self.isPlain(other) {
                table[Int(state) << 8 | Int(other)] = next
            }
        }
        table[Int(state) << 8 | Int(byte)] = next
        return next
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Whether all plain bytes lead to the same state, as inside a string.
    private func arePlainBytesAlike(_ items: [Item]) -> Bool {
        items.allSatisfy { item in
            switch item.terminal.kind {
            case .scalar, .escapedScalar: arePlain[Int(item.terminal.number)]
            case .literal: item.terminal.literalByte(grammar).map { !Self.isPlain($0) } ?? false
            case .continuation, .anyContinuation: true
            case .escape, .hexadecimal, .trail: false
            }
        }
    }

    /// The state of the ways in a closure; `dead` for none.
    private func number(of closure: Closure) -> State {
        var items = distinct(closure.items)
        if items.isEmpty, !closure.isEnd { return Self.dead }
        if items.count > ConstraintLimits.itemsMax {
            items.sort { cost(of: $0) < cost(of: $1) }
            items.removeSubrange(ConstraintLimits.itemsMax...)
        }
        let key = StateKey(items: items, isEnd: closure.isEnd)
        if let number = numbers[key] { return number }
        let number = State(keys.count)
        numbers[key] = number
        keys.append(key)
        var best = Figures(
            endCost: key.isEnd ? 0 : GrammarCosts.never,
            plainRoom: 0,
            plainCost: GrammarCosts.never
        )
        best.hasOnePlainWay =
            items.count { $0.terminal.kind != .literal } == 1 && arePlainBytesAlike(items)
        for item in items {
            let cost = cost(of: item)
            best.endCost = min(best.endCost, cost)
            let room = plainRoom(of: item)
            if room > best.plainRoom { (best.plainRoom, best.plainCost) = (room, cost) }
        }
        (figures + Int(number)).initialize(to: best)
        (table + Int(number) << 8).update(repeating: Self.unknown, count: 256)
        return number
    }

    private func distinct(_ items: [Item]) -> [Item] {
        if items.count < 2 { return items }
        var seen: Set<Item> = []
        return items.filter { seen.insert($0).inserted }
    }

    /// The fewest tokens to the end of the text on one way.
    func cost(of item: Item) -> Int32 {
        let rest: Int32
        switch item.terminal.kind {
        case .escape, .hexadecimal, .trail:
            rest = escapeCosts[item.terminal] ?? costs.cost(of: item.terminal, grammar)
            escapeCosts[item.terminal] = rest
        default: rest = costs.cost(of: item.terminal, grammar)
        }
        return GrammarCosts.sum(rest, stack.cost(of: item.next))
    }

    /// How many plain characters a way accepts whatever they are: the rest of a repetition of a set
    /// that has all of them.
    private func plainRoom(of item: Item) -> Int32 {
        guard item.terminal.kind == .scalar || item.terminal.kind == .escapedScalar,
            arePlain[Int(item.terminal.number)]
        else { return 0 }
        let more = stack.repetitionsLeft(of: item, grammar)
        return more == Grammar.unlimited ? more : more + 1
    }

    // MARK: - Size

    /// Whether so much is stored that the next mask may not find room.
    var isCrowded: Bool {
        keys.count > ConstraintLimits.statesMax / 2 || stack.count > ConstraintLimits.framesMax / 2
    }

    /// Drops all states but `state`.
    /// - Returns: its number now.
    func drop(allBut state: State) -> State {
        let key = keys[Int(state)]
        let old = stack
        stack = FrameStack()
        reset()
        var closure = Closure()
        closure.isEnd = key.isEnd
        var copies: [Int32: Int32] = [FrameStack.bottom: FrameStack.bottom]
        for item in key.items {
            let next = stack.copy(item.next, from: old, &copies, grammar, costs)
            closure.items.append(Item(terminal: item.terminal, next: next))
        }
        return number(of: closure)
    }
}
