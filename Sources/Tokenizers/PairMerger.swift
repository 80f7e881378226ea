// The merge loop of byte-pair encoding: always the pair of the lowest rank first, of equal ones the
// leftmost. Most words are a few symbols long, and looking for the lowest rank anew after each merge
// is quickest; long ones have a merger of their own.

import Checkpoints

/// Merges the symbols of one word after the other; keeps its memory in between.
struct PairMerger {
    private let table: MergeTable
    /// The symbols of the word at hand, to be filled in before it is merged.
    var symbols: [TokenID] = []
    /// What each symbol and its right neighbour would become.
    private var merges: [MergeTable.Merge] = []
    private var longWords: LongWordMerger

    /// The longest word, in symbols, whose ranks are looked through again and again.
    private static let shortWordMax = 32

    /// A merger by `table`.
    init(_ table: MergeTable) {
        self.table = table
        longWords = LongWordMerger(table)
    }

    /// Appends the word, merged as far as it goes, to `tokens`, and forgets it.
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

    /// The leftmost pair of the lowest rank; nil where no pair can be merged.
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
