// One ceiling for what all connections hold in memory: bytes that slow readers have not taken, and the
// beginnings of what slow writers have not finished. Each connection has bounds of its own; a crowd of them
// could still hold more than the machine has.

/// Which connections have to go.
package enum BufferCeiling {
    /// The fewest connections without which the others hold no more than `limit` bytes together: those that
    /// hold most.
    /// - Parameters:
    ///   - sizes: how many bytes each holds.
    ///   - limit: how many all may hold.
    /// - Returns: their places in `sizes`, the greediest first.
    package static func surplus(of sizes: [Int], above limit: Int) -> [Int] {
        var total = sizes.reduce(0, +)
        guard total > limit else { return [] }
        var surplus: [Int] = []
        for index in sizes.indices.sorted(by: { sizes[$0] > sizes[$1] }) where total > limit {
            surplus.append(index)
            total -= sizes[index]
        }
        return surplus
    }
}
