import Checkpoints
import PhiModel
import Testing

/// Tokens in 0 ..< 320, different for each `seed`.
private func tokens(_ count: Int, seed: Int) -> [TokenID] {
    (0..<count).map { TokenID(($0 * 37 + seed * 101 + $0 * $0 * 13) % 320) }
}

@Suite("KV caches in pages of one pool")
struct KeyValueCacheTests {
    private let session: PhiSession
    private let page = KeyValuePool.pagePositions

    init() throws {
        session = try Self.session(.sixteen)
    }

    private static func session(_ bits: KeyValueBits) throws -> PhiSession {
        try Golden.model("tiny-phi4mini-4bit").keeping(bits).makeSession(threadCount: 2)
    }

    private func makeCache(_ pool: KeyValuePool, of session: PhiSession? = nil) -> KeyValueCache {
        (session ?? self.session).model
            .makeCache(capacity: 200, ropeFactors: .short, pool: pool)
    }

    /// The logits after every one of `tokens`, read alone.
    private func logits(_ tokens: [TokenID], by session: PhiSession? = nil) throws -> [[Float]] {
        let session = session ?? self.session
        return try session.logitsOfAllPositions(
            tokens,
            cache: session.model.makeCache(capacity: tokens.count, ropeFactors: .short)
        )
    }

    @Test(
        "a shared prefix of any length gives the same result as a computed one",
        arguments: [1, 31, 32, 33, 50, 64],
        KeyValueBits.allCases
    )
    func shared(count: Int, bits: KeyValueBits) throws {
        let session = try Self.session(bits)
        let pool = try session.model.makePool(pageCount: 8)
        let trunk = makeCache(pool, of: session)
        let first = tokens(70, seed: 2)
        _ = try session.logitsOfAllPositions(first, cache: trunk)
        let branch = makeCache(pool, of: session)
        branch.share(trunk.filledPages, count: count, ropeFactors: .short)
        #expect(branch.count == count)

        let other = first[..<count] + tokens(9, seed: 3)
        let rest = try session.logitsOfAllPositions(Array(other[count...]), cache: branch)
        #expect(try rest == Array(logits(Array(other), by: session)[count...]))
        // Writes of the branch changed nothing of the original.
        let more = tokens(5, seed: 4)
        let trunkRest = try session.logitsOfAllPositions(more, cache: trunk)
        #expect(try trunkRest == Array(logits(first + more, by: session)[70...]))
    }

    @Test("pages are shared: a branch allocates only its own")
    func pageCounts() throws {
        let pool = try session.model.makePool(pageCount: 8)
        let trunk = makeCache(pool)
        _ = try session.logitsOfAllPositions(tokens(2 * page, seed: 1), cache: trunk)
        #expect(pool.freePageCount == 6)
        do {
            let branch = makeCache(pool)
            branch.share(trunk.filledPages, count: 2 * page - 1, ropeFactors: .short)
            #expect(pool.freePageCount == 6)
            // The second page differs, and is copied.
            #expect(branch.pagesNeeded(for: 1) == 1)
            _ = try session.logitsOfAllPositions([7], cache: branch)
            #expect(pool.freePageCount == 5)
            #expect(branch.pagesNeeded(for: page) == 1)
        }
        #expect(pool.freePageCount == 6)
        trunk.truncate(to: page)
        #expect(pool.freePageCount == 7)
    }

    @Test(
        "truncated tokens leave no trace, within a shared page and beyond its end",
        arguments: [1, 20, 31, 32]
    )
    func dropped(count: Int) throws {
        let pool = try session.model.makePool(pageCount: 8)
        let trunk = makeCache(pool)
        let first = tokens(2 * page, seed: 2)
        _ = try session.logitsOfAllPositions(first, cache: trunk)
        let branch = makeCache(pool)
        branch.share(trunk.filledPages, count: count, ropeFactors: .short)
        let freeCount = pool.freePageCount

        // One token that stays and forty that are truncated, twice.
        var read = Array(first[..<count])
        for seed in [3, 4] {
            read.append(TokenID(seed))
            let result = try session.logitsOfAllPositions(
                [TokenID(seed)] + tokens(40, seed: seed),
                cache: branch
            )
            branch.truncate(to: read.count)
            #expect(try result[0] == logits(read)[read.count - 1])
        }
        // The branch's own page is the only one that was allocated.
        let pageCount = KeyValuePool.pageCount(positions: read.count)
        let sharedCount = count / page
        #expect(freeCount - pool.freePageCount == pageCount - sharedCount)

        let more = tokens(5, seed: 5)
        let rest = try session.logitsOfAllPositions(more, cache: branch)
        #expect(try rest == Array(logits(read + more)[read.count...]))
        let trunkRest = try session.logitsOfAllPositions(more, cache: trunk)
        #expect(try trunkRest == Array(logits(first + more)[first.count...]))
    }

    @Test("released pages are reused, and their old content has no effect")
    func reuse() throws {
        let pool = try session.model.makePool(pageCount: 3)
        for seed in 0..<10 {
            let prompt = tokens(2 * page + 5, seed: seed)
            let result = try session.logitsOfAllPositions(prompt, cache: makeCache(pool))
            #expect(try result == logits(prompt))
        }
        #expect(pool.freePageCount == 3)
    }

    @Test("a full pool refuses, and existing caches stay usable")
    func exhausted() throws {
        let pool = try session.model.makePool(pageCount: 2)
        let first = makeCache(pool)
        let prompt = tokens(page, seed: 5)
        _ = try session.logitsOfAllPositions(prompt, cache: first)
        let second = makeCache(pool)
        #expect(throws: ForwardError.self) {
            try session.logitsOfAllPositions(tokens(page + 1, seed: 6), cache: second)
        }
        #expect(second.count == 0)
        #expect(pool.freePageCount == 1)
        let rest = try session.logitsOfAllPositions([1, 2], cache: first)
        #expect(try rest == Array(logits(prompt + [1, 2])[page...]))
    }
}
