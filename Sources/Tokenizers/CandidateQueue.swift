// Candidates for merging: a list of positions for each rank, and a heap of the ranks with
// candidates.

/// A priority queue of positions by rank.
struct CandidateQueue {
    private struct Entry {
        let position: Int32
        /// The previously inserted entry of the same rank; `none` at the first.
        let next: Int32
    }

    private var entries: [Entry] = []
    /// The latest entry of each rank; `none` if there is none.
    private var heads: [Int32] = []
    /// A binary heap of the ranks that have entries, the lowest one first.
    private var ranks: [UInt32] = []
    private var positions: [Int32] = []

    private static let none = Int32(-1)

    /// Reserves space for ranks below `rankLimit`.
    mutating func reserve(rankLimit: Int) {
        if heads.count < rankLimit { heads = [Int32](repeating: Self.none, count: rankLimit) }
    }

    /// The lowest rank with entries; `UInt32.max` if there are none.
    var firstRank: UInt32 { ranks.first ?? .max }

    /// Adds `position`; `rank` is below the limit.
    mutating func insert(rank: UInt32, position: Int32) {
        let head = heads[Int(rank)]
        heads[Int(rank)] = Int32(entries.count)
        entries.append(Entry(position: position, next: head))
        if head == Self.none { insert(rank) }
    }

    /// Removes the lowest rank and returns it with all its positions, ascending.
    mutating func popFirst() -> (rank: UInt32, positions: [Int32])? {
        guard let rank = popRank() else {
            entries.removeAll(keepingCapacity: true)
            return nil
        }
        positions.removeAll(keepingCapacity: true)
        var entry = heads[Int(rank)]
        heads[Int(rank)] = Self.none
        while entry != Self.none {
            positions.append(entries[Int(entry)].position)
            entry = entries[Int(entry)].next
        }
        positions.reverse()
        // Mostly sorted already, so sorting is fast.
        positions.sort()
        return (rank, positions)
    }

    private mutating func insert(_ rank: UInt32) {
        var index = ranks.count
        ranks.append(rank)
        while index > 0, ranks[(index - 1) / 2] > rank {
            ranks[index] = ranks[(index - 1) / 2]
            index = (index - 1) / 2
        }
        ranks[index] = rank
    }

    private mutating func popRank() -> UInt32? {
        guard let first = ranks.first, let last = ranks.popLast() else { return nil }
        guard !ranks.isEmpty else { return first }
        // Moves the last one to the root and sifts it down.
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < ranks.count else { break }
            if child + 1 < ranks.count, ranks[child + 1] < ranks[child] { child += 1 }
            guard ranks[child] < last else { break }
            ranks[index] = ranks[child]
            index = child
        }
        ranks[index] = last
        return first
    }
}
