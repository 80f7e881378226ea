// Draft tokens of an answer, and their acceptance rate.

package import Checkpoints

/// The draft of a running answer. A value: tokens in, tokens out.
package struct Guess: Sendable {
    /// Maximum number of draft tokens.
    private static let countMax = 12
    /// The weight of a new result in the moving average of the acceptance rate.
    private static let weight = 1.0 / 8
    /// Upper limit of the acceptance rate.
    private static let acceptanceMax = 0.97

    /// The draft tokens.
    package private(set) var tokens: [TokenID] = []
    /// The recent acceptance rate. Draft tokens that were not computed count too, since it is known
    /// whether they were right.
    package private(set) var acceptance = 0.5
    private var lookup: PromptLookup

    /// Creates an empty draft for a sequence of up to `tokensMax` tokens.
    package init(tokensMax: Int) {
        lookup = PromptLookup(tokensMax: tokensMax)
    }

    /// Drafts what follows `sequence`, at most `count` tokens.
    package mutating func update(_ sequence: [TokenID], count: Int) {
        lookup.read(sequence)
        tokens = lookup.continuation(of: sequence, count: min(count, Self.countMax))
    }

    /// Compares the draft with the sampled token.
    /// - Returns: whether it was the first of `tokens`, which is then removed.
    package mutating func settle(_ token: TokenID) -> Bool {
        guard let first = tokens.first else { return false }
        let isRight = first == token
        acceptance += Self.weight * ((isRight ? 1 : 0) - acceptance)
        acceptance = min(acceptance, Self.acceptanceMax)
        if isRight { tokens.removeFirst() } else { tokens = [] }
        return isRight
    }

    /// Clears the draft.
    package mutating func clear() { tokens = [] }
}
