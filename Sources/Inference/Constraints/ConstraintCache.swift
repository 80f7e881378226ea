// The forms that answers of a model must have, compiled for its tokens. The vocabulary's tree is
// built when a form is first used.

package import ConstrainedText
import Synchronization
import Tokenizers

/// Compiles forms for one model, and keeps those that were used last. May be used on any thread.
package final class ConstraintCache: Sendable {
    private struct Entry {
        let constraint: AnswerConstraint
        let compiled: TokenConstraint
    }

    private struct State {
        var trie: TokenTrie?
        /// The last used form comes last.
        var entries: [Entry] = []
    }

    /// Maximum number of forms.
    private static let entriesMax = 32

    private let tokenizer: Tokenizer
    private let stopTokens: Set<Int32>
    private let tokenLimit: Int
    private let state = Mutex(State())

    init(_ tokenizer: Tokenizer, stopTokens: Set<Int32>, tokenLimit: Int) {
        self.tokenizer = tokenizer
        self.stopTokens = stopTokens
        self.tokenLimit = tokenLimit
    }

    /// Compiles a form, and counts the tokens that an answer with it needs.
    /// - Parameters:
    ///   - constraint: the form.
    ///   - beginning: the tokens that the answer has already.
    /// - Returns: a number of tokens that suffices.
    /// - Throws: `ConstraintError` if it is not supported, or no answer of the model can have it.
    package func tokensNeeded(
        for constraint: AnswerConstraint,
        after beginning: [Int32]
    ) throws(ConstraintError) -> Int {
        let compiled = try compiled(constraint)
        if beginning.isEmpty { return compiled.tokensMin }
        let answer = ConstrainedAnswer(compiled)
        for token in beginning where !answer.advance(token) {
            throw ConstraintError("an answer that begins so cannot have the form")
        }
        return answer.tokensToEnd
    }

    /// The form for the model's tokens.
    /// - Throws: `ConstraintError` if it is not supported, or no answer of the model can have it.
    func compiled(
        _ constraint: AnswerConstraint
    ) throws(ConstraintError) -> TokenConstraint {
        if let known = find(constraint) { return known }
        let compiled = try TokenConstraint(
            CompiledConstraint(constraint),
            trie: trie(),
            stopTokens: stopTokens.sorted(),
            opening: try opening(of: constraint)
        )
        state.withLock { state in
            state.entries.append(Entry(constraint: constraint, compiled: compiled))
            if state.entries.count > Self.entriesMax { state.entries.removeFirst() }
        }
        return compiled
    }

    /// The token with which a form begins; nil if it is the whole answer's.
    private func opening(of constraint: AnswerConstraint) throws(ConstraintError) -> Int32? {
        guard case .calls(let text, _) = constraint else { return nil }
        guard let token = tokenizer.token(text) else {
            throw ConstraintError("the model has no token \(text)")
        }
        return token
    }

    private func find(_ constraint: AnswerConstraint) -> TokenConstraint? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.constraint == constraint })
            else { return nil }
            state.entries.append(state.entries.remove(at: index))
            return state.entries.last?.compiled
        }
    }

    /// The vocabulary's tree. Others wait while it is built.
    private func trie() -> TokenTrie {
        state.withLock { state in
            if let trie = state.trie { return trie }
            let trie = TokenTrie(
                tokenLimit: tokenLimit,
                dropsLeadingSpace: tokenizer.dropsLeadingSpace
            ) { stopTokens.contains($0) || tokenizer.isSpecial($0) ? [] : tokenizer.bytes(of: $0) }
            state.trie = trie
            return trie
        }
    }
}
