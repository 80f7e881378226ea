// A form with the vocabulary of a model.

/// A compiled form for the tokens of one model. Immutable: answers share it.
public struct TokenConstraint: Sendable {
    let grammar: Grammar
    let costs: GrammarCosts
    let stopTokens: [Int32]
    /// The token with which the form begins; nil if it is the whole answer's.
    let opening: Int32?
    /// An answer with this number of tokens, or with more, can have the form. An upper bound: it
    /// counts the parts of the shortest answer one by one.
    public let tokensMin: Int

    /// Counts the tokens of a form.
    /// - Parameters:
    ///   - constraint: the form.
    ///   - trie: the model's tokens without its stop tokens.
    ///   - stopTokens: the tokens that end an answer.
    ///   - opening: the token with which the form begins; nil if it is the whole answer's.
    /// - Throws: `ConstraintError` if no text of this vocabulary has the form.
    public init(
        _ constraint: CompiledConstraint,
        trie: TokenTrie,
        stopTokens: some Sequence<Int32>,
        opening: Int32? = nil
    ) throws(ConstraintError) {
        grammar = constraint.grammar
        costs = GrammarCosts(grammar, trie)
        self.stopTokens = Array(stopTokens)
        self.opening = opening
        tokensMin = Int(costs.nodes[Int(grammar.root)])
        guard tokensMin < GrammarCosts.never else {
            throw ConstraintError("no answer of this model can have the form")
        }
        guard trie.dropsLeadingSpace else { return }
        let automaton = Automaton(grammar, costs)
        if automaton.firstTokenOfEnd(automaton.start).map(trie.startsWithSpace) ?? false {
            throw ConstraintError("answers of this model cannot start with a space")
        }
    }
}

extension TokenTrie {
    /// Whether a token starts with a space.
    func startsWithSpace(_ token: Int32) -> Bool { piece(token).first == UInt8(ascii: " ") }
}

extension Automaton {
    /// The first token of a shortest way to the end; nil at the end.
    func firstTokenOfEnd(_ state: State) -> Int32? {
        let shortest = items(state).min { cost(of: $0) < cost(of: $1) }
        return shortest.flatMap { costs.trie.firstToken($0.terminal.ending(grammar)) }
    }
}
