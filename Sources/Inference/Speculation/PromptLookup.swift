// Guesses at how a sequence goes on, from the sequence itself: where its last tokens came before,
// what followed them then may follow again. Answers quote: names, code, what was asked, their own
// lists. (Saxena, "Prompt Lookup Decoding", 2023.)

package import Checkpoints

/// Where the last few tokens of one growing sequence came before.
///
/// A hash table of fixed size, so that a token costs the same wherever it comes; of occurrences
/// that meet in it the latest stays.
package struct PromptLookup: Sendable {
    /// How many tokens must have come before in this order: with fewer a guess is mostly wrong,
    /// with more there is seldom one.
    private static let length = 3
    /// The bits of an index in `ends`: 1 KiB for short sequences, and 128 KiB at most.
    private static let bitsRange = 8...15

    /// For each hash of `length` tokens, how many tokens there were when they had come; 0 for none.
    private var ends: [Int32]
    /// 64 less the bits of an index in `ends`.
    private let shift: Int
    /// The tokens that were read.
    private var readCount = 0
    /// Where what followed the last tokens begins; nil where they did not come before.
    private var source: Int?

    /// A lookup that has read nothing, in a sequence of up to `tokensMax` tokens.
    package init(tokensMax: Int) {
        var bits = Self.bitsRange.lowerBound
        while bits < Self.bitsRange.upperBound, 1 << bits < 2 * tokensMax { bits += 1 }
        ends = Array(repeating: 0, count: 1 << bits)
        shift = 64 - bits
    }

    /// Reads what `tokens` has grown by.
    package mutating func read(_ tokens: [TokenID]) {
        precondition(tokens.count >= readCount, "a sequence only grows")
        for end in readCount..<tokens.count { read(tokens, to: end + 1) }
        readCount = tokens.count
    }

    private mutating func read(_ tokens: [TokenID], to end: Int) {
        guard end >= Self.length else { return }
        let last = tokens[(end - Self.length)..<end]
        let index = Int(hash(last) >> shift)
        let earlier = Int(ends[index])
        ends[index] = Int32(clamping: end)
        let isSame = earlier > 0 && tokens[(earlier - Self.length)..<earlier].elementsEqual(last)
        source = isSame ? earlier : nil
    }

    /// What followed the last tokens when they came before. Where that reaches the end it goes on
    /// with itself: a loop stays one.
    /// - Parameters:
    ///   - tokens: those that were read.
    ///   - count: how many are wanted.
    /// - Returns: `count` tokens at most; none where they did not come before.
    package func continuation(of tokens: [TokenID], count: Int) -> [TokenID] {
        precondition(tokens.count == readCount, "other tokens than were read")
        guard let source else { return [] }
        var guess: [TokenID] = []
        for index in source..<(source + max(count, 0)) {
            guess.append(index < tokens.count ? tokens[index] : guess[index - tokens.count])
        }
        return guess
    }

    private func hash(_ tokens: ArraySlice<TokenID>) -> UInt64 {
        tokens.reduce(0) { hash, token in
            (hash ^ UInt64(truncatingIfNeeded: token)) &* 0x9E37_79B9_7F4A_7C15
        }
    }
}
