import ChatCore
import Testing

@Suite("How often somebody may ask")
struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test("so many at once, then one in each share of the minute")
    func bucket() {
        var limiter = RateLimiter<Int>(perMinute: 6)
        for _ in 0..<6 { #expect(limiter.take(1, now: start) == nil) }
        #expect(limiter.take(1, now: start) == .seconds(10))
        #expect(limiter.take(1, now: start + .seconds(4)) == .seconds(6))
        #expect(limiter.take(1, now: start + .seconds(10)) == nil)
        #expect(limiter.take(1, now: start + .seconds(10)) == .seconds(10))
    }

    @Test("nobody uses up another's")
    func others() {
        var limiter = RateLimiter<Int>(perMinute: 1)
        #expect(limiter.take(1, now: start) == nil)
        #expect(limiter.take(2, now: start) == nil)
        #expect(limiter.take(1, now: start) == .seconds(60))
    }

    @Test("who is refused lost nothing: as long as was said, and it is theirs", arguments: 0..<40)
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
        // As many at once, and as many again that came back over the minute.
        for (index, first) in taken.enumerated() {
            let inMinute = taken[index...].prefix { $0 - first < .seconds(60) }.count
            #expect(inMinute <= 2 * perMinute)
        }
    }

    @Test("those who ask for nothing any more are forgotten")
    func forgetting() {
        var limiter = RateLimiter<Int>(perMinute: 60)
        for key in 0..<100_000 {
            _ = limiter.take(key, now: start + .milliseconds(key))
        }
        #expect(limiter.entryCount < 5000)
    }

    @Test("a crowd that asks at once is kept in mind within a bound, the busiest first")
    func crowd() {
        var limiter = RateLimiter<Int>(perMinute: 60)
        for _ in 0..<60 { #expect(limiter.take(-1, now: start) == nil) }
        for key in 0..<200_000 { _ = limiter.take(key, now: start) }
        #expect(limiter.entryCount <= 65_536)
        #expect(limiter.take(-1, now: start) == .seconds(1))
    }
}
