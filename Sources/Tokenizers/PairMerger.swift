// The merge loop of byte-pair encoding: always the pair with the lowest rank, of equal ones the
// leftmost. Most words have few symbols, for which a linear search after each merge is fastest;
// LongWordMerger handles long ones.

import Checkpoints

/// Merges words one after the other; reuses its memory.
struct PairMerger {
    private let table: MergeTable
    /// The symbols of the current word, set before merging.
    var symbols: [TokenID] = []
    /// The merge of each symbol with its right neighbor.
    private var merges: [MergeTable.Merge] = []
    private var longWords: LongWordMerger

    /// The maximum length, in symbols, of words merged with linear search.
    private static let shortWordMax = 32

    /// Creates a merger.
    init(_ table: MergeTable) {
        self.table = table
        longWords = LongWordMerger(table)
    }

    /// Merges the word completely, appends it to `tokens`, and clears it.
    mutating func mergeSymbols(into tokens: inout [TokenID]) {
        if symbols.count > Self.shortWordMax {
            longWords.merge(symbols, into: &tokens)
        } else {
            mergeShortWord()
            tokens.append(contentsOf: symbols)
        }
        symbols.removeAll(keepingCapacity: true)
    }

    private mutating func mergeShortWord() {
        merges.removeAll(keepingCapacity: true)
        for index in symbols.indices.dropLast() {
            merges.append(table.merge(symbols[index], symbols[index + 1]))
        }
        while let index = lowestRank() {
            symbols[index] = merges[index].token
            symbols.remove(at: index + 1)
            merges.remove(at: index)
            if index > 0 { merges[index - 1] = table.merge(symbols[index - 1], symbols[index]) }
            if index < merges.count {
                merges[index] = table.merge(symbols[index], symbols[index + 1])
            }
        }
    }

    /// The leftmost pair with the lowest rank; nil if no pair can be merged.
    private func lowestRank() -> Int? {
        var lowest: Int?
        var rank = MergeTable.Merge.never.rank
        for index in merges.indices where merges[index].rank < rank {
            lowest = index
            rank = merges[index].rank
        }
        return lowest
    }
}
