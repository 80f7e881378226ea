// The rows of the logits with tokens. Most Phi checkpoints have more rows than the tokenizer has
// tokens (32064 and 32011): a row without a token must never be sampled.

public import Checkpoints

/// The ids that may be sampled, as ascending ranges. One range in all known models, so loops over
/// it are fast.
public struct SamplableTokens: Sendable, Hashable {
    /// Ascending, not empty, not adjacent.
    public let ranges: [Range<Int>]

    /// All ids from 0 to below `count`.
    public init(count: Int) {
        ranges = count > 0 ? [0..<count] : []
    }

    /// The ids below `vocabularyCount` for which `exists` is true. Calls it once for each id.
    public init(vocabularyCount: Int, where exists: (TokenID) -> Bool) {
        var ranges: [Range<Int>] = []
        var start: Int?
        for id in 0..<vocabularyCount {
            if exists(TokenID(id)) {
                start = start ?? id
            } else if let first = start {
                ranges.append(first..<id)
                start = nil
            }
        }
        if let first = start { ranges.append(first..<vocabularyCount) }
        self.ranges = ranges
    }

    /// The part below `end`: there may also be fewer logits than tokens.
    func clamped(to end: Int) -> [Range<Int>] {
        // No new array for each token if nothing is cut off.
        guard let last = ranges.last, last.upperBound > end else { return ranges }
        return ranges.map { $0.clamped(to: 0..<end) }.filter { !$0.isEmpty }
    }
}
