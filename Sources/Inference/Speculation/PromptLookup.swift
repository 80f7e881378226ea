// Prompt lookup decoding: if the last tokens of a sequence occurred before, the tokens that
// followed then are the draft. Answers quote names, code, the question, and their own lists.
// (Saxena, "Prompt Lookup Decoding", 2023.)

package import Checkpoints

/// Finds earlier occurrences of the last tokens of a growing sequence.
///
/// A hash table of fixed size, so that each token costs the same; of colliding occurrences the
/// latest is kept.
package struct PromptLookup: Sendable {
    /// The number of tokens to match: with fewer a draft is mostly wrong, with more there is seldom
    /// one.
    private static let length = 3
    /// The number of index bits of `ends`: 1 KiB for short sequences, at most 128 KiB.
    private static let bitsRange = 8...15

    /// For each hash of `length` tokens, the position after their latest occurrence; 0 for none.
    private var ends: [Int32]
    /// 64 minus the number of index bits of `ends`.
    private let shift: Int
    /// The number of tokens read.
    private var readCount = 0
    /// The position after the earlier occurrence of the last tokens; nil if there is none.
    private var source: Int?

    /// Creates a lookup for a sequence of up to `tokensMax` tokens.
    package init(tokensMax: Int) {
        var bits = Self.bitsRange.lowerBound
        while bits < Self.bitsRange.upperBound, 1 << bits < 2 * tokensMax { bits += 1 }
        ends = Array(repeating: 0, count: 1 << bits)
        shift = 64 - bits
    }

    /// Reads the new tokens of `tokens`.
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

    /// The continuation of the earlier occurrence of the last tokens. If it reaches the end it
    /// continues with itself, so a loop stays a loop.
    /// - Parameters:
    ///   - tokens: the tokens that were read.
    ///   - count: the maximum number of tokens.
    /// - Returns: at most `count` tokens; empty if there is no earlier occurrence.
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
