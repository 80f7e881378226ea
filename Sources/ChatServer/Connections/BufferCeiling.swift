// A memory limit for the buffers of all connections: unsent bytes of slow consumers, and incomplete
// messages of slow senders. Each connection has its own limits; many together could still exceed
// the machine's memory.

/// Selects connections to close.
package enum BufferCeiling {
    /// The smallest set of connections to close so that the others hold at most `limit` bytes
    /// together: the largest ones.
    /// - Parameters:
    ///   - sizes: bytes held by each connection.
    ///   - limit: maximum bytes of all together.
    /// - Returns: their indices in `sizes`, the largest first.
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
