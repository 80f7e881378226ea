import PhiKernels
import TestSupport
import Testing

/// Tolerance: implementations may add in another order.
private let tolerance: Float = 2e-5

@Suite("block-sparse attention")
struct SparseAttentionTests {
    private static let size = 32

    private func kernels(_ name: String) throws -> phi_kernels {
        try #require(phi_kernels_named(name)).pointee
    }

    /// Whether a query of `head` at `position` sees `key`.
    private func sees(
        _ sparsity: phi_block_sparsity,
        head: Int,
        position: Int,
        key: Int
    ) -> Bool {
        let block = key / sparsity.block_positions
        let own = position / sparsity.block_positions
        return own - block < sparsity.local_blocks || (block + head + 1) % sparsity.stride == 0
    }

    @Test("queries see their own blocks and every third one", arguments: KernelTables.names)
    func seen(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 53)
        for blockPositions in [3, 5, 8, 16] {
            let sparsity = phi_block_sparsity(
                block_positions: blockPositions,
                local_blocks: 2,
                stride: 3
            )
            for keyCount in [1, 7, 40, 83] {
                let queries = (0..<4).map { _ in random.floats(Self.size) }
                let keyCounts = (0..<4).map { max(1, keyCount - 3 + $0) }
                let heads = [0, 1, 1, 2]
                let keys = random.floats(keyCount * Self.size)
                let values = random.floats(keyCount * Self.size)
                let together = attend(
                    kernels,
                    queries: queries,
                    keyCounts: keyCounts,
                    keys: keys,
                    values: values,
                    sparsity: sparsity,
                    heads: heads
                )
                for query in 0..<4 {
                    let seen = (0..<keyCounts[query]).filter { key in
                        sees(sparsity, head: heads[query], position: keyCounts[query] - 1, key: key)
                    }
                    let rows = { (numbers: [Float]) in
                        seen.flatMap { numbers[$0 * Self.size..<($0 + 1) * Self.size] }
                    }
                    // Full attention to the keys that it sees.
                    let expected = attend(
                        kernels,
                        queries: [queries[query]],
                        keyCounts: [seen.count],
                        keys: rows(keys),
                        values: rows(values)
                    )
                    #expect(maximumDifference(together[query], expected[0]) < tolerance)
                    let alone = attend(
                        kernels,
                        queries: [queries[query]],
                        keyCounts: [keyCounts[query]],
                        keys: keys,
                        values: values,
                        sparsity: sparsity,
                        heads: [heads[query]]
                    )
                    #expect(alone[0] == together[query])
                }
            }
        }
    }

    @Test("blocks that no query sees are not read", arguments: KernelTables.names)
    func unread(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 54)
        let sparsity = phi_block_sparsity(block_positions: 8, local_blocks: 2, stride: 3)
        let keyCount = 61
        let queries = (0..<4).map { _ in random.floats(Self.size) }
        for type in [PHI_FLOAT32, PHI_FLOAT16, PHI_INT8] {
            let numbers = (0..<2).map { _ in random.floats(keyCount * Self.size) }
            let outputs = [Float(0), .nan].map { filler in
                let filled = numbers.map { numbers in
                    numbers.enumerated().map { index, number in
                        let key = index / Self.size
                        let isSeen = (57..<keyCount).contains { position in
                            sees(sparsity, head: 1, position: position, key: key)
                        }
                        return isSeen ? number : filler
                    }
                }
                return attend(
                    kernels,
                    queries: queries,
                    keyCounts: [58, 59, 60, keyCount],
                    keys: filled[0],
                    values: filled[1],
                    type: type,
                    sparsity: sparsity,
                    heads: [1, 1, 1, 1]
                )
            }
            #expect(outputs[0] == outputs[1])
        }
    }
}
