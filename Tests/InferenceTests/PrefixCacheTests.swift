import Checkpoints
import Inference
import PhiModel
import Testing

@Suite("prefix cache")
struct PrefixCacheTests {
    private let model: PhiModel
    private let session: PhiSession
    private let prefixes = PrefixCache()
    private let scope = PrefixCache.Scope(name: "a", ropeFactors: .plain)
    private let page = KeyValuePool.pagePositions

    init() throws {
        model = try DemoModel.load().model
        session = model.makeSession(threadCount: 1)
    }

    /// A KV cache filled with `tokens`.
    private func read(_ tokens: [TokenID], _ pool: KeyValuePool) throws -> KeyValueCache {
        let cache = model.makeCache(capacity: 300, ropeFactors: .plain, pool: pool)
        let match = prefixes.match(tokens.dropLast(), in: scope)
        cache.share(match.pages, count: match.count, ropeFactors: .plain)
        let rest = Array(tokens[match.count...])
        _ = try session.forward([SequenceStep(tokens: rest, cache: cache, wantsLogits: false)])
        return cache
    }

    /// Computes `tokens` and caches their pages.
    private func keep(_ tokens: [TokenID], _ pool: KeyValuePool) throws {
        prefixes.insert(tokens[...], try read(tokens, pool).filledPages, in: scope)
    }

    private func matchCount(_ tokens: [TokenID], _ name: String = "a") -> Int {
        prefixes.match(tokens[...], in: .init(name: name, ropeFactors: .plain)).count
    }

    private func tokens(_ count: Int, from first: TokenID = 100) -> [TokenID] {
        (0..<count).map { first + TokenID($0) }
    }

    private func pages(_ numbers: Range<Int>, of tokens: [TokenID]) -> [KeyValuePage] {
        var walk = PrefixCache.Walk(along: tokens, in: scope)
        return prefixes.pages(numbers, along: &walk)
    }

    @Test("the longest cached prefix is found, to the token", arguments: [1, 31, 32, 33, 70])
    func lengths(count: Int) throws {
        let pool = try model.makePool(pageCount: 20)
        try keep(tokens(count), pool)
        #expect(matchCount(tokens(count)) == count)
        #expect(matchCount(tokens(count + 50)) == count)
        #expect(matchCount(tokens(count - 1)) == count - 1)
        #expect(matchCount(tokens(count / 2) + [7] + tokens(40)) == count / 2)
        #expect(matchCount([7] + tokens(count)) == 0)
        #expect(matchCount([]) == 0)
    }

    @Test("scopes share nothing, and neither do factor sets")
    func scopes() throws {
        let pool = try model.makePool(pageCount: 20)
        try keep(tokens(50), pool)
        #expect(matchCount(tokens(50), "b") == 0)
        let long = PrefixCache.Scope(name: "a", ropeFactors: .long)
        #expect(prefixes.match(tokens(50)[...], in: long).count == 0)
    }

    @Test("branches share their prefix, and an extended page replaces the partial one")
    func branches() throws {
        let pool = try model.makePool(pageCount: 20)
        let trunk = tokens(2 * page)
        try keep(trunk + [1, 2], pool)
        #expect(prefixes.pageCount == 3)
        try keep(trunk + [1, 2, 3, 4], pool)
        #expect(prefixes.pageCount == 3)
        try keep(trunk + [1, 2, 9], pool)
        #expect(prefixes.pageCount == 4)
        try keep(trunk + [1, 2, 3], pool)
        #expect(prefixes.pageCount == 4)
        // All pages in use are in the tree.
        #expect(pool.freePageCount == 16)
        #expect(matchCount(trunk + [1, 2, 3, 4, 5]) == trunk.count + 4)
        #expect(matchCount(trunk + [1, 2, 9, 5]) == trunk.count + 3)
    }

    @Test("eviction starts at the end of the least recently used sequence")
    func eviction() throws {
        let pool = try model.makePool(pageCount: 6)
        let old = tokens(3 * page)
        let new = tokens(3 * page, from: 1000)
        try keep(old, pool)
        try keep(new, pool)
        #expect(pool.freePageCount == 0)
        prefixes.makeRoom(for: 1, in: pool)
        #expect(pool.freePageCount == 1)
        #expect(matchCount(old) == 2 * page)
        #expect(matchCount(new) == 3 * page)
        // The old one was used recently, but before the new one.
        prefixes.makeRoom(for: 4, in: pool)
        #expect(pool.freePageCount == 4)
        #expect(matchCount(old) == 0)
        #expect(matchCount(new) == 2 * page)
        prefixes.makeRoom(for: 6, in: pool)
        #expect(prefixes.pageCount == 0)
        #expect(matchCount(new) == 0)
    }

    @Test("the most recently used sequence is evicted last")
    func evictionOfTheOldest() throws {
        let pool = try model.makePool(pageCount: 8)
        let old = tokens(4 * page)
        let new = tokens(3 * page, from: 1000)
        try keep(old, pool)
        try keep(new, pool)
        #expect(pool.freePageCount == 1)
        prefixes.makeRoom(for: 3, in: pool)
        #expect(pool.freePageCount == 3)
        #expect(matchCount(new) == 3 * page)
        #expect(matchCount(old) == 2 * page)
        // Now the old one was used last.
        prefixes.makeRoom(for: 7, in: pool)
        #expect(pool.freePageCount == 7)
        #expect(matchCount(new) == 0)
        #expect(matchCount(old) == page)
    }

    @Test("a recently used branch keeps its prefix, and its sibling is evicted")
    func evictionOfBranches() throws {
        let pool = try model.makePool(pageCount: 8)
        let trunk = tokens(2 * page)
        let branches = [trunk + tokens(2 * page, from: 1000), trunk + tokens(2 * page, from: 1200)]
        for branch in branches { try keep(branch, pool) }
        #expect(matchCount(branches[0]) == 4 * page)
        prefixes.makeRoom(for: 4, in: pool)
        #expect(matchCount(branches[0]) == 4 * page)
        #expect(matchCount(branches[1]) == 2 * page)
    }

    @Test("the pages of a sequence are those that have all of its tokens")
    func pages() throws {
        let pool = try model.makePool(pageCount: 20)
        try keep(tokens(2 * page + 5), pool)
        func count(_ tokens: [TokenID]) -> Int { pages(0..<20, of: tokens).count }
        #expect(count(tokens(2 * page + 5)) == 3)
        #expect(count(tokens(2 * page + 3)) == 3)
        #expect(count(tokens(2 * page + 6)) == 2)
        #expect(count(tokens(page) + [7]) == 1)
        #expect(count(tokens(page - 1) + [7]) == 0)
    }

    @Test("a walk continues at its position, as long as that is cached")
    func walk() throws {
        let pool = try model.makePool(pageCount: 6)
        try keep(tokens(4 * page + 3), pool)
        let all = pages(0..<9, of: tokens(4 * page + 3))
        try #require(all.count == 5)
        var walk = PrefixCache.Walk(along: tokens(4 * page + 3), in: scope)
        for numbers in [0..<2, 2..<3, 4..<8, 3..<8, 1..<2, 2..<5] {
            let found = prefixes.pages(numbers, along: &walk).map { ObjectIdentifier($0) }
            #expect(found == all[numbers.clamped(to: 0..<5)].map { ObjectIdentifier($0) })
        }
        let behind = prefixes.pages(5..<9, along: &walk)
        #expect(behind.isEmpty)
        prefixes.remove(["a"])
        for numbers in [4..<8, 0..<8] {
            let gone = prefixes.pages(numbers, along: &walk)
            #expect(gone.isEmpty)
        }
    }

    @Test("a scope is whole until one of its pages is evicted")
    func whole() throws {
        let pool = try model.makePool(pageCount: 6)
        #expect(!prefixes.isWhole(scope))
        try keep(tokens(2 * page), pool)
        #expect(prefixes.isWhole(scope))
        prefixes.makeRoom(for: 5, in: pool)
        #expect(!prefixes.isWhole(scope))
        #expect(matchCount(tokens(2 * page)) == page)
        try keep(tokens(2 * page), pool)
        #expect(!prefixes.isWhole(scope))
    }

    @Test("removing a scope removes all of its pages, and no others")
    func removal() throws {
        let pool = try model.makePool(pageCount: 20)
        let trunk = tokens(2 * page)
        try keep(trunk + [1, 2], pool)
        try keep(trunk + [1, 9], pool)
        let other = PrefixCache.Scope(name: "b", ropeFactors: .plain)
        prefixes.insert(trunk[...], try read(trunk, pool).filledPages, in: other)
        prefixes.remove(["a", "unknown"])
        #expect(prefixes.pageCount == 2)
        #expect(matchCount(trunk) == 0)
        #expect(matchCount(trunk, "b") == trunk.count)
        prefixes.remove(["b"])
        #expect(pool.freePageCount == 20)
    }

    @Test("only whole pages of a published prompt are shared by all scopes")
    func published() throws {
        let pool = try model.makePool(pageCount: 20)
        let prompt = tokens(2 * page + 5)
        func scope(_ name: String, _ count: Int) -> PrefixCache.Scope {
            PrefixCache.Scope(name: name, ropeFactors: .plain, publishedCount: count)
        }
        func count(_ tokens: [TokenID], _ scope: PrefixCache.Scope) -> Int {
            prefixes.match(tokens[...], in: scope).count
        }
        func keep(_ tokens: [TokenID], in scope: PrefixCache.Scope) throws {
            let cache = model.makeCache(capacity: 300, ropeFactors: .plain, pool: pool)
            let match = prefixes.match(tokens.dropLast(), in: scope)
            cache.share(match.pages, count: match.count, ropeFactors: .plain)
            let rest = Array(tokens[match.count...])
            _ = try session.forward([SequenceStep(tokens: rest, cache: cache, wantsLogits: false)])
            prefixes.insert(tokens[...], cache.filledPages, in: scope)
        }
        let (one, two) = (scope("one", prompt.count), scope("two", prompt.count))
        try keep(prompt + [1, 2, 3], in: one)
        #expect(prefixes.pageCount == 3)
        #expect(count(prompt + [1, 2, 3], one) == prompt.count + 3)
        // Not the partial page at the end of the prompt.
        #expect(count(prompt + [1, 2, 3], two) == 2 * page)
        // Nor for a conversation with the same text as an own prompt.
        #expect(count(prompt + [1, 2, 3], scope("three", 0)) == 0)
        try keep(prompt + [1, 2, 9], in: two)
        #expect(prefixes.pageCount == 4)
        #expect(pool.freePageCount == 16)
        #expect(count(prompt + [1, 2, 3], one) == prompt.count + 3)
        #expect(count(prompt + [1, 2, 3], two) == prompt.count + 2)
        #expect(count(prompt + [1, 2, 9], one) == prompt.count + 2)

        // A shared page stays while a sequence continues from it.
        prefixes.remove(["one"])
        #expect(prefixes.pageCount == 3)
        #expect(count(prompt + [1, 2, 3], one) == 2 * page)
        #expect(count(prompt + [1, 2, 9], two) == prompt.count + 3)
        #expect(prefixes.isWhole(two))
        prefixes.makeRoom(for: 18, in: pool)
        #expect(prefixes.pageCount == 2)
        #expect(!prefixes.isWhole(two))
        prefixes.makeRoom(for: 20, in: pool)
        #expect(prefixes.pageCount == 0)
        #expect(pool.freePageCount == 20)
    }

    @Test("a page that a running sequence uses is not evicted")
    func inUse() throws {
        let pool = try model.makePool(pageCount: 4)
        try keep(tokens(2 * page), pool)
        try keep(tokens(2 * page, from: 1000), pool)
        let running = prefixes.match(tokens(2 * page)[...], in: scope)
        prefixes.makeRoom(for: 4, in: pool)
        #expect(pool.freePageCount == 2)
        #expect(running.pages.count == 2)
        #expect(matchCount(tokens(2 * page)) == 2 * page)
    }

    @Test("a last page that the store uses does not protect the pages before it")
    func borrowed() throws {
        let pool = try model.makePool(pageCount: 6)
        let trunk = tokens(3 * page)
        try keep(trunk + [1], pool)
        try keep(trunk + [2], pool)
        let borrowed = pages(3..<4, of: trunk + [1])
        prefixes.makeRoom(for: 3, in: pool)
        // The other branch goes first.
        #expect(pool.freePageCount == 3)
        #expect(prefixes.pageCount == 2)
        #expect(!prefixes.isWhole(scope))
        prefixes.makeRoom(for: 6, in: pool)
        #expect(pool.freePageCount == 5)
        #expect(prefixes.pageCount == 0)
        #expect(borrowed.count == 1)
    }
}
