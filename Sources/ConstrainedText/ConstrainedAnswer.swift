// An answer that gets a form: which tokens may come next.

/// The state of one answer with a form. Not Sendable: it belongs to the thread that samples.
public final class ConstrainedAnswer {
    private struct StoredMask {
        var mask: TokenMask
        var endCostMax: Int32
    }

    private let constraint: TokenConstraint
    private let automaton: Automaton
    private var state: Automaton.State
    /// Whether the token with which the form begins has not come yet.
    private var isFree: Bool
    /// Whether no token was read yet.
    private var isFirst = true
    /// The masks of states, without regard to how many tokens are left.
    private var masks: [Automaton.State: StoredMask] = [:]

    /// Creates the state at the start of an answer.
    public init(_ constraint: TokenConstraint) {
        self.constraint = constraint
        automaton = Automaton(constraint.grammar, constraint.costs)
        state = automaton.start
        isFree = constraint.opening != nil
    }

    /// Whether the answer has the form, and may end.
    public var isComplete: Bool { isFree || automaton.isEnd(state) }

    /// Tokens that suffice to complete the answer: an upper bound of the fewest.
    public var tokensToEnd: Int { isFree ? 0 : Int(automaton.figures(state).endCost) }

    /// Sets the logits of the tokens that must not come next to minus infinity. Stop tokens may
    /// come when the answer is complete.
    /// - Parameters:
    ///   - logits: one for each row of the vocabulary.
    ///   - room: how many tokens may still come, with this one; as long as it was never less than
    ///     `tokensToEnd`, the answer can be completed within it.
    public func mask(_ logits: UnsafeMutableBufferPointer<Float>, room: Int) {
        guard isFree, let opening = constraint.opening else {
            return allowedTokens(room: room).apply(to: logits)
        }
        // The form must fit behind its beginning.
        if room <= constraint.tokensMin, logits.indices.contains(Int(opening)) {
            logits[Int(opening)] = -.infinity
        }
    }

    /// The tokens that may come next in the form, with stop tokens.
    package func allowedTokens(room: Int) -> TokenMask {
        // A way to the end must stay, even if there is less room than there should be.
        let limit = max(Int32(clamping: room), automaton.figures(state).endCost) - 1
        makeRoom()
        let all = masks[state] ?? walked(limit: .max)
        return all.endCostMax <= limit ? all.mask : walked(limit: limit).mask
    }

    /// Drops what is not needed if the automaton is nearly full.
    private func makeRoom() {
        guard automaton.isCrowded else { return }
        state = automaton.drop(allBut: state)
        masks.removeAll()
    }

    /// The mask of the state, with tokens after which at most `limit` tokens are needed.
    private func walked(limit: Int32) -> StoredMask {
        let walk = MaskWalk(automaton, from: state, endCostLimit: limit, isFirst: isFirst)
        var stored = StoredMask(mask: walk.mask, endCostMax: walk.endCostMax)
        if isComplete { for token in constraint.stopTokens { stored.mask.insert(token) } }
        if limit == .max, !automaton.isExhausted {
            if masks.count >= ConstraintLimits.masksMax { masks.removeAll() }
            masks[state] = stored
        }
        return stored
    }

    /// Reads the answer's next token.
    /// - Returns: false if the answer cannot have the form with it, as with a stop token; then it
    ///   stays as it was.
    @discardableResult
    public func advance(_ token: Int32) -> Bool {
        if isFree {
            isFree = token != constraint.opening
            return true
        }
        let piece = constraint.costs.trie.piece(token)
        guard !piece.isEmpty else { return false }
        makeRoom()
        automaton.workLeft = .max
        var next = state
        for byte in piece {
            next = automaton.next(next, byte)
            guard next != Automaton.dead else { return false }
        }
        state = next
        isFirst = false
        return true
    }
}
