import Capacity
import TestSupport
import Testing

@Suite("Costs from measured runs")
struct CostFitTests {
    private static let things: [CostFit.Count] = [
        { $0.turns }, { $0.deltas }, { $0.deltaReaders },
    ]

    private func run(_ turns: Double, _ deltas: Double, readers: Double) -> MeasuredRun {
        var run = MeasuredRun()
        run.turns = turns
        run.deltas = deltas
        run.deltaReaders = deltas * readers
        run.nodeSeconds = turns * 0.001 + deltas * 0.0002 + run.deltaReaders * 3e-6
        return run
    }

    private func costs(_ rounds: [[MeasuredRun]]) -> [Double]? {
        CostFit.costs(rounds, of: Self.things, total: { $0.nodeSeconds })
    }

    private var runs: [MeasuredRun] {
        [run(100, 100, readers: 1), run(50, 5000, readers: 1), run(50, 5000, readers: 20)]
    }

    @Test("are those that the runs were made of")
    func exact() throws {
        let found = try #require(costs([runs]))
        for (cost, made) in zip(found, [0.001, 0.0002, 3e-6]) {
            #expect(CapacityScene.isNear(cost, made, within: 1e-6))
        }
    }

    @Test("are the median of the rounds: one disturbed round changes nothing")
    func disturbed() throws {
        var other = runs
        other[2].nodeSeconds *= 3
        let found = try #require(costs([runs, other, runs]))
        #expect(CapacityScene.isNear(found[2], 3e-6, within: 1e-6))
    }

    @Test("are those of bytes, too, of which there are millions")
    func bytes() throws {
        var written = runs
        for index in written.indices {
            written[index].walBytes =
                written[index].turns * 9000 + written[index].deltas * 300
                + written[index].deltaReaders * 2
        }
        let fitted = CostFit.costs([written], of: Self.things, total: { $0.walBytes })
        let found = try #require(fitted)
        for (cost, made) in zip(found, [9000, 300, 2]) {
            #expect(CapacityScene.isNear(cost, Double(made), within: 1e-6))
        }
    }

    @Test("are near them with more runs than things, and noise")
    func noise() throws {
        var generator = SeededGenerator(seed: 3)
        var noisy = runs + [run(200, 2000, readers: 5), run(10, 8000, readers: 10)]
        for index in noisy.indices {
            noisy[index].nodeSeconds *= Double.random(in: 0.97...1.03, using: &generator)
        }
        let found = try #require(costs([noisy]))
        for (cost, made) in zip(found, [0.001, 0.0002, 3e-6]) {
            #expect(CapacityScene.isNear(cost, made, within: 0.25))
        }
    }

    @Test("are unknown where runs do not tell them apart, and never negative")
    func impossible() throws {
        let same = Array(repeating: run(100, 100, readers: 1), count: 3)
        #expect(costs([same]) == nil)
        #expect(costs([]) == nil)
        var less = runs
        less[2].nodeSeconds = less[1].nodeSeconds / 2
        let found = try #require(costs([less]))
        #expect(found.allSatisfy { $0 >= 0 })
    }
}
