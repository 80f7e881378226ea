import ChatProtocol
import ChatServer
import Instruments
import Testing

@Suite("Load of the last seconds")
struct LoadWindowTests {
    private let start = ContinuousClock.now

    private func sample(_ second: Int, turns: [Double] = [], tokens: [String: Int] = [:])
        -> LoadWindow.Sample
    {
        var histogram = Histogram.ofSeconds
        for turn in turns { histogram.record(turn) }
        return LoadWindow.Sample(time: start + .seconds(second), turns: histogram, tokens: tokens)
    }

    @Test("is what was added since the oldest sample, at most ten seconds ago")
    func difference() throws {
        var window = LoadWindow()
        #expect(window.load(until: sample(0)) == nil)
        for second in 0..<20 { window.add(sample(second, tokens: ["a": second * 100, "b": 7])) }
        let load = try #require(window.load(until: sample(20, tokens: ["a": 2000, "b": 7])))
        #expect(load.seconds == 10)
        #expect(load.models == [.init(model: "a", tokensPerSecond: 100)])
    }

    @Test("has the bounds of usual and of the longest turns of the loop")
    func lag() throws {
        var window = LoadWindow()
        // An earlier long turn does not count.
        window.add(sample(0, turns: [5]))
        let turns = [5] + [Double](repeating: 0.0003, count: 999) + [0.2]
        let load = try #require(window.load(until: sample(1, turns: turns)))
        #expect(load.usualLagMilliseconds == 0.5 && load.longestLagMilliseconds == 250)
    }

    @Test("takes a sample each second")
    func due() {
        var window = LoadWindow()
        #expect(window.isDue(at: start))
        window.add(sample(0))
        #expect(!window.isDue(at: start + .milliseconds(500)))
        #expect(window.isDue(at: start + .seconds(1)))
    }
}
