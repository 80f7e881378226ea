// The merge loop of byte-pair encoding. Phi-3 has no pre-tokenizer, so a whole message may be one
// word: symbols are a linked list and candidate pairs a heap, O(n log n) for n symbols.

import Checkpoints

/// Merges the symbols of one word after the other; keeps its memory in between.
struct PairMerger {
    private let table: MergeTable
    /// The symbols of the word at hand, to be filled in before it is merged. A merged pair stands at
    /// its left position.
    var symbols: [TokenID] = []
    /// Neighbours in the list; `none` at the ends.
    private var previous: [Int32] = []
    private var next: [Int32] = []
    /// What each symbol and its right neighbour would become; `never` where nothing, and where the
    /// symbol was merged away.
    private var merges: [MergeTable.Merge] = []
    private var candidates = CandidateHeap()

    private static let none = Int32(-1)
    private static let never = MergeTable.Merge(rank: .max, token: 0)

    /// A merger by `table`.
    init(_ table: MergeTable) {
        self.table = table
    }

    /// Appends the word, merged as far as it goes, to `tokens`, and forgets it: always the pair of
    /// the lowest rank first, of equal ones the leftmost.
    mutating func mergeSymbols(into tokens: inout [TokenID]) {
        defer { symbols.removeAll(keepingCapacity: true) }
        guard symbols.count > 1 else {
            tokens.append(contentsOf: symbols)
            return
        }
        linkSymbols()
        while let candidate = candidates.popFirst() {
            join(at: Int(candidate.position), rank: candidate.rank)
        }
        var position = Int32(0)
        while position != Self.none {
            tokens.append(symbols[Int(position)])
            position = next[Int(position)]
        }
    }

    private mutating func linkSymbols() {
        previous.removeAll(keepingCapacity: true)
        next.removeAll(keepingCapacity: true)
        merges.removeAll(keepingCapacity: true)
        for index in 0..<Int32(symbols.count) {
            previous.append(index - 1)
            next.append(index + 1)
            merges.append(Self.never)
        }
        next[symbols.count - 1] = Self.none
        for index in 0..<symbols.count - 1 { propose(index) }
    }

    /// Joins the pair at `position`, unless one of its two has changed since it was proposed.
    private mutating func join(at position: Int, rank: UInt32) {
        let merge = merges[position]
        guard merge.rank == rank else { return }
        let right = Int(next[position])
        symbols[position] = merge.token
        next[position] = next[right]
        if next[right] != Self.none { previous[Int(next[right])] = Int32(position) }
        merges[right] = Self.never
        propose(position)
        if previous[position] != Self.none { propose(Int(previous[position])) }
    }

    /// Puts the pair of `position` and its right neighbour among the candidates.
    private mutating func propose(_ position: Int) {
        guard next[position] != Self.none,
            let merge = table.merge(symbols[position], symbols[Int(next[position])])
        else {
            merges[position] = Self.never
            return
        }
        merges[position] = merge
        candidates.insert(rank: merge.rank, position: UInt32(position))
    }
}

/// A binary heap of pairs: lowest rank first, of equal ranks the leftmost.
struct CandidateHeap {
    /// Rank in the upper half, position in the lower, so that the order is that of the numbers.
    private var entries: [UInt64] = []

    mutating func insert(rank: UInt32, position: UInt32) {
        let entry = UInt64(rank) << 32 | UInt64(position)
        var index = entries.count
        entries.append(entry)
        while index > 0, entries[(index - 1) / 2] > entry {
            entries[index] = entries[(index - 1) / 2]
            index = (index - 1) / 2
        }
        entries[index] = entry
    }

    mutating func popFirst() -> (rank: UInt32, position: UInt32)? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        if !entries.isEmpty { sink(last) }
        return (UInt32(first >> 32), UInt32(truncatingIfNeeded: first))
    }

    /// Puts `entry` in the place of the first one and lets it sink to where it belongs.
    private mutating func sink(_ entry: UInt64) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            entries[index] = entries[child]
            index = child
        }
        entries[index] = entry
    }
}
