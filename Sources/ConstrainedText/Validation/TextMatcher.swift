// Whether a text has a form, without a model.

/// Matches whole texts. Takes time linear in the text's length for each way that is followed.
package struct TextMatcher {
    private let grammar: Grammar
    private let costs: GrammarCosts

    /// One token for each byte.
    private static let bytes = TokenTrie(tokenLimit: 256) { [UInt8(truncatingIfNeeded: $0)] }

    package init(_ constraint: CompiledConstraint) {
        grammar = constraint.grammar
        costs = GrammarCosts(grammar, Self.bytes)
    }

    /// Whether `text` has the form. False also for a text with too many ways to read it.
    package func matches(_ text: some Sequence<UInt8>) -> Bool {
        let automaton = Automaton(grammar, costs)
        var state = automaton.start
        guard state != Automaton.dead else { return false }
        for byte in text {
            if automaton.isCrowded { state = automaton.drop(allBut: state) }
            state = automaton.next(state, byte)
            if state == Automaton.dead { return false }
        }
        return automaton.isEnd(state)
    }
}
