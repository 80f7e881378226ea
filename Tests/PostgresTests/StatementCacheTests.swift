import Postgres
import Testing

/// The statement cache as a value.
@Suite("Statement cache")
struct StatementCacheTests {
    func key(_ sql: String, _ types: [UInt32] = []) -> StatementKey {
        StatementKey(sql: sql, types: types)
    }

    @Test("a statement is sent unprepared until its preparation is confirmed")
    func confirmation() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a")) == .prepare("s1", evicting: nil))
        #expect(cache.use(key("a")) == .unprepared)
        cache.confirm(key("a"))
        #expect(cache.use(key("a")) == .execute("s1"))
    }

    @Test("a failed preparation is retried under another name")
    func failure() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a")) == .prepare("s1", evicting: nil))
        cache.removeUnconfirmed(key("a"))
        #expect(cache.use(key("a")) == .prepare("s2", evicting: nil))
        cache.confirm(key("a"))
        cache.removeUnconfirmed(key("a"))
        #expect(cache.use(key("a")) == .execute("s2"))
        #expect(cache.remove(key("a")) == "s2")
        #expect(cache.count == 0)
    }

    @Test("the least recently used statement is evicted, pending ones stay")
    func eviction() {
        var cache = StatementCache(countMax: 2)
        #expect(cache.use(key("a")) == .prepare("s1", evicting: nil))
        #expect(cache.use(key("b")) == .prepare("s2", evicting: nil))
        #expect(cache.use(key("c")) == .unprepared)
        cache.confirm(key("a"))
        cache.confirm(key("b"))
        #expect(cache.use(key("a")) == .execute("s1"))
        #expect(cache.use(key("c")) == .prepare("s5", evicting: "s2"))
        #expect(cache.count == 2)
    }

    @Test("other parameter types make another statement")
    func types() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a", [20])) == .prepare("s1", evicting: nil))
        #expect(cache.use(key("a", [25])) == .prepare("s2", evicting: nil))
    }
}
