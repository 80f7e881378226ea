// Merging of long words: Phi-3 has no pre-tokenizer, so a whole message may be one word, and other
// tokenizers treat a megabyte of letters as one. Symbols are a linked list, and candidate pairs are
// in buckets by rank, since a text has far more pairs than distinct pairs: near-linear time.

import Checkpoints

/// Merges long words; reuses its memory.
struct LongWordMerger {
    /// A symbol of the word. A merged pair is at the index of its left symbol.
    private struct Symbol {
        var token: TokenID
        /// Neighbours in the list; `none` at the ends.
        var previous: Int32
        var next: Int32
        /// The merge with its right neighbor; `never` if there is none, or this symbol was merged.
        var merge: MergeTable.Merge
    }

    private let table: MergeTable
    private var symbols: [Symbol] = []
    private var candidates = CandidateQueue()

    private static let none = Int32(-1)

    /// Creates a merger.
    init(_ table: MergeTable) {
        self.table = table
    }

    /// Merges the word of `tokens` completely and appends it to `merged`: always the pair with the
    /// lowest rank, of equal ones the leftmost.
    mutating func merge(_ tokens: [TokenID], into merged: inout [TokenID]) {
        guard !tokens.isEmpty else { return }
        candidates.reserve(rankLimit: table.rankLimit)
        link(tokens)
        while let (rank, positions) = candidates.popFirst() {
            for (index, position) in positions.enumerated() {
                join(at: Int(position), rank: rank)
                // Merges are learned in order, so a merge enables only pairs of higher rank. If a
                // file has them in another order, the lower rank goes first.
                if candidates.firstRank < rank {
                    for later in positions[(index + 1)...] {
                        candidates.insert(rank: rank, position: later)
                    }
                    break
                }
            }
        }
        var position = Int32(0)
        while position != Self.none {
            merged.append(symbols[Int(position)].token)
            position = symbols[Int(position)].next
        }
    }

    private mutating func link(_ tokens: [TokenID]) {
        symbols.removeAll(keepingCapacity: true)
        symbols.reserveCapacity(tokens.count)
        for (index, token) in tokens.enumerated() {
            let isLast = index + 1 == tokens.count
            let symbol = Symbol(
                token: token,
                previous: Int32(index) - 1,
                next: isLast ? Self.none : Int32(index) + 1,
                merge: isLast ? .never : table.merge(token, tokens[index + 1])
            )
            symbols.append(symbol)
            propose(index)
        }
    }

    /// Merges the pair at `position`, unless one of its symbols has changed since it was added.
    private mutating func join(at position: Int, rank: UInt32) {
        let symbol = symbols[position]
        guard symbol.merge.rank == rank else { return }
        let right = Int(symbol.next)
        let next = symbols[right].next
        symbols[right].merge = .never
        symbols[position].token = symbol.merge.token
        symbols[position].next = next
        if next == Self.none {
            symbols[position].merge = .never
        } else {
            symbols[Int(next)].previous = Int32(position)
            symbols[position].merge = table.merge(symbol.merge.token, symbols[Int(next)].token)
            propose(position)
        }
        if symbol.previous != Self.none {
            let left = Int(symbol.previous)
            symbols[left].merge = table.merge(symbols[left].token, symbol.merge.token)
            propose(left)
        }
    }

    /// Adds the pair of `position` and its right neighbor to the candidates, if it can be merged.
    private mutating func propose(_ position: Int) {
        let rank = symbols[position].merge.rank
        guard rank != MergeTable.Merge.never.rank else { return }
        candidates.insert(rank: rank, position: Int32(position))
    }
}
