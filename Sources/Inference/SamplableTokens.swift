// Which rows of the logits stand for tokens. Logits are wider than the tokenizer in most Phi
// checkpoints (32064 rows for 32011 tokens): a row without a token must never be sampled.

public import Checkpoints

/// The ids that may be sampled: ascending ranges without gaps between their ids. One range in all
/// known models, so that loops over it run at full speed.
public struct SamplableTokens: Sendable, Hashable {
    /// Ascending, not empty, not touching each other.
    public let ranges: [Range<Int>]

    /// All ids from 0 to below `count`.
    public init(count: Int) {
        ranges = count > 0 ? [0..<count] : []
    }

    /// The ids below `vocabularyCount` for which `exists` is true. Asks for each id once.
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

    /// The part below `end`: logits may also be narrower than the tokenizer.
    func clamped(to end: Int) -> [Range<Int>] {
        // Nothing is put together anew for each token where nothing is cut off.
        guard let last = ranges.last, last.upperBound > end else { return ranges }
        return ranges.map { $0.clamped(to: 0..<end) }.filter { !$0.isEmpty }
    }
}
