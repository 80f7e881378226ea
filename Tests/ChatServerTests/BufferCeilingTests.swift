import ChatServer
import Testing

@Suite("The memory limit for buffers")
struct BufferCeilingTests {
    @Test(
        "the largest connections are closed, and no more than necessary",
        arguments: [
            ([], 10, []), ([5, 5], 10, []), ([5, 6], 10, [1]), ([1, 9, 2], 10, [1]),
            ([4, 9, 8], 10, [1, 2]), ([0, 0, 11], 10, [2]), ([3, 3, 3, 3], 5, [0, 1, 2]),
            ([7], 0, [0]),
        ] as [([Int], Int, [Int])]
    )
    func surplus(sizes: [Int], limit: Int, expected: [Int]) {
        let surplus = BufferCeiling.surplus(of: sizes, above: limit)
        #expect(surplus.map { sizes[$0] } == expected.map { sizes[$0] })
    }

    @Test("the process' anonymous memory grows with its allocations")
    func memory() throws {
        let before = try #require(AnonymousMemory.byteCount)
        let held = [UInt8](repeating: 1, count: 64 << 20)
        let after = try #require(AnonymousMemory.byteCount)
        // Other tests run concurrently.
        #expect(after - before > 32 << 20)
        withExtendedLifetime(held) {}
    }
}
