import ChatCore
import Testing

@Suite("The rate limiter")
struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test("allows a burst, then evenly spread requests")
    func bucket() {
        var limiter = RateLimiter<Int>(perMinute: 6)
        for _ in 0..<6 { #expect(limiter.take(1, now: start) == nil) }
        #expect(limiter.take(1, now: start) == .seconds(10))
        #expect(limiter.take(1, now: start + .seconds(4)) == .seconds(6))
        #expect(limiter.take(1, now: start + .seconds(10)) == nil)
        #expect(limiter.take(1, now: start + .seconds(10)) == .seconds(10))
    }

    @Test("counts keys separately")
    func others() {
        var limiter = RateLimiter<Int>(perMinute: 1)
        #expect(limiter.take(1, now: start) == nil)
        #expect(limiter.take(2, now: start) == nil)
        #expect(limiter.take(1, now: start) == .seconds(60))
    }

    @Test("a refused request is allowed after the returned wait", arguments: 0..<40)
    func honestWaits(seed: UInt64) throws {
        var dice = Dice(seed)
        let perMinute = Int.random(in: 1...200, using: &dice)
        var limiter = RateLimiter<Int>(perMinute: perMinute)
        var now = start
        var taken: [ContinuousClock.Instant] = []
        for _ in 0..<1000 {
            now += .milliseconds(Int.random(in: 0...2000, using: &dice))
            for _ in 0..<Int.random(in: 1...5, using: &dice) {
                if let wait = limiter.take(1, now: now) {
                    #expect(wait > .zero && wait <= .seconds(60) / perMinute)
                    if Bool.random(using: &dice) {
                        now += wait
                        #expect(limiter.take(1, now: now) == nil)
                        taken.append(now)
                    }
                } else {
                    taken.append(now)
                }
            }
        }
        // The first burst, and as many again over the following minute.
        for (index, first) in taken.enumerated() {
            let inMinute = taken[index...].prefix { $0 - first < .seconds(60) }.count
            #expect(inMinute <= 2 * perMinute)
        }
    }

    @Test("forgets idle keys")
    func forgetting() {
        var limiter = RateLimiter<Int>(perMinute: 60)
        for key in 0..<100_000 {
            _ = limiter.take(key, now: start + .milliseconds(key))
        }
        #expect(limiter.entryCount < 5000)
    }

    @Test("limits the number of keys in memory, and keeps the busiest ones")
    func memoryLimit() {
        var limiter = RateLimiter<Int>(perMinute: 60)
        for _ in 0..<60 { #expect(limiter.take(-1, now: start) == nil) }
        for key in 0..<200_000 { _ = limiter.take(key, now: start) }
        #expect(limiter.entryCount <= 65_536)
        #expect(limiter.take(-1, now: start) == .seconds(1))
    }
}
