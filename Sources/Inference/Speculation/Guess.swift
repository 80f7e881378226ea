// How one answer may go on, and how far its guesses can be trusted.

package import Checkpoints

/// The guesses of one growing answer. A value: tokens in, tokens out.
package struct Guess: Sendable {
    /// The most tokens that are guessed at once.
    private static let countMax = 12
    /// What one token that was guessed, rightly or wrongly, counts for against those before.
    private static let weight = 1.0 / 8
    /// Nothing is ever certain.
    private static let acceptanceMax = 0.97

    /// The tokens that may follow.
    package private(set) var tokens: [TokenID] = []
    /// The share of guessed tokens that were right of late. Also tokens that were guessed and not
    /// computed count: it is known in any case whether they were right.
    package private(set) var acceptance = 0.5
    private var lookup: PromptLookup

    /// No guess yet, in a sequence of up to `tokensMax` tokens.
    package init(tokensMax: Int) {
        lookup = PromptLookup(tokensMax: tokensMax)
    }

    /// Guesses what follows `sequence`, `count` tokens at most.
    package mutating func update(_ sequence: [TokenID], count: Int) {
        lookup.read(sequence)
        tokens = lookup.continuation(of: sequence, count: min(count, Self.countMax))
    }

    /// Tells what came.
    /// - Returns: whether that was the first of `tokens`, which then is none of them any more.
    package mutating func settle(_ token: TokenID) -> Bool {
        guard let first = tokens.first else { return false }
        let isRight = first == token
        acceptance += Self.weight * ((isRight ? 1 : 0) - acceptance)
        acceptance = min(acceptance, Self.acceptanceMax)
        if isRight { tokens.removeFirst() } else { tokens = [] }
        return isRight
    }

    /// Guesses nothing.
    package mutating func clear() { tokens = [] }
}
