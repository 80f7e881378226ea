import Postgres
import Testing

/// Which statements are prepared, as a value.
@Suite("Statement cache")
struct StatementCacheTests {
    func key(_ sql: String, _ types: [UInt32] = []) -> StatementKey {
        StatementKey(sql: sql, types: types)
    }

    @Test("a statement is prepared once it is confirmed, and sent unprepared until then")
    func confirmation() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a")) == .prepare("s1", evicting: nil))
        #expect(cache.use(key("a")) == .unprepared)
        cache.confirm(key("a"))
        #expect(cache.use(key("a")) == .execute("s1"))
    }

    @Test("a preparation that failed is tried again under another name")
    func failure() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a")) == .prepare("s1", evicting: nil))
        cache.forgetUnconfirmed(key("a"))
        #expect(cache.use(key("a")) == .prepare("s2", evicting: nil))
        cache.confirm(key("a"))
        cache.forgetUnconfirmed(key("a"))
        #expect(cache.use(key("a")) == .execute("s2"))
        #expect(cache.forget(key("a")) == "s2")
        #expect(cache.count == 0)
    }

    @Test("the least recently used statement makes room, those under way stay")
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

    @Test("other types of parameters make another statement")
    func types() {
        var cache = StatementCache(countMax: 4)
        #expect(cache.use(key("a", [20])) == .prepare("s1", evicting: nil))
        #expect(cache.use(key("a", [25])) == .prepare("s2", evicting: nil))
    }
}
