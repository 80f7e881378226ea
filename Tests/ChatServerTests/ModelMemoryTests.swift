// Which models are in memory under one limit: no engine, no thread, no folder.

import ChatServer
import Inference
import Testing

@Suite("The memory of models under one limit")
struct ModelMemoryTests {
    private static let start = ContinuousClock.now

    /// Models that take what their names say, in MiB, without memory for keys and values.
    private static func memory(limit: Int, _ names: String...) -> ModelMemory {
        var memory = ModelMemory(limitBytes: limit << 20, cacheMebibytes: 0)
        for name in names { memory.measured(name, footprint(Int(name.dropFirst()) ?? 0)) }
        return memory
    }

    private static func footprint(_ mebibytes: Int, cache: Int = 0) -> ModelFootprint {
        ModelFootprint(
            weightBytes: mebibytes << 20,
            bufferBytes: 0,
            cacheBytesMin: cache << 20,
            contextLength: 9
        )
    }

    private func placement(
        of name: String,
        in memory: ModelMemory,
        used: Set<String> = [],
        waited: Duration? = .zero,
        after span: Duration = .zero
    ) -> ModelMemory.Placement {
        memory.placement(of: name, used: used, waited: waited, at: Self.start + span)
    }

    @Test("a model is loaded where there is room, and refused where it can never fit")
    func room() {
        var memory = Self.memory(limit: 10, "a4", "b6", "c11")
        #expect(placement(of: "unknown", in: memory) == .waits)
        #expect(placement(of: "c11", in: memory) == .exceedsLimit)
        memory.take("a4", beside: [], at: Self.start)
        #expect(placement(of: "b6", in: memory) == .fits)
        memory.take("b6", beside: [], at: Self.start)
        #expect(memory.takenBytes == 10 << 20)
        #expect(memory.loadCounts == ["a4": 1, "b6": 1])
        memory.release("a4")
        #expect(memory.takenBytes == 6 << 20)
    }

    @Test("the least recently used models leave first, and no more than have to")
    func leastRecentlyUsed() {
        var memory = Self.memory(limit: 10, "a3", "b3", "c3", "d4", "e5")
        for name in ["a3", "b3", "c3"] { memory.take(name, beside: [], at: Self.start) }
        memory.use("a3")
        #expect(placement(of: "d4", in: memory) == .needs(leaving: ["b3"]))
        #expect(placement(of: "e5", in: memory) == .needs(leaving: ["b3", "c3"]))
        #expect(placement(of: "d4", in: memory, waited: nil) == .waits, "no run waits for it")
        memory.setLeaving("b3", true)
        #expect(placement(of: "d4", in: memory) == .waits, "enough is leaving")
        #expect(placement(of: "e5", in: memory) == .needs(leaving: ["c3"]))
        memory.setLeaving("b3", false)
        #expect(placement(of: "d4", in: memory) == .needs(leaving: ["b3"]))
    }

    @Test("a model that is used leaves only for one that has waited for a turn, after a turn")
    func turns() {
        var memory = Self.memory(limit: 10, "a6", "b3", "c5")
        memory.take("a6", beside: [], at: Self.start)
        memory.take("b3", beside: [], at: Self.start)
        let turn = ModelMemory.turn
        let used: Set = ["a6", "c5"]
        func placement(_ waited: Duration, after span: Duration) -> ModelMemory.Placement {
            self.placement(of: "c5", in: memory, used: used, waited: waited, after: span)
        }
        #expect(placement(.zero, after: turn * 2) == .waits)
        #expect(placement(turn, after: turn / 2) == .waits, "it was loaded a moment ago")
        // The idle one leaves first, though it was used last.
        #expect(placement(turn, after: turn) == .needs(leaving: ["b3", "a6"]))
    }

    @Test("keys and values get what the setting says, or an equal share of what is left")
    func caches() {
        func cache(limit: Int, setting: Int, beside others: Int) -> [Int] {
            var memory = ModelMemory(
                limitBytes: limit == .max ? .max : limit << 20,
                cacheMebibytes: setting
            )
            let names = (0...others).map { "\($0)" }
            for name in names { memory.measured(name, Self.footprint(10, cache: 2)) }
            return names.compactMap { name in
                memory.take(name, beside: Set(names), at: Self.start)
                return memory.cacheMebibytes(of: name)
            }
        }
        #expect(cache(limit: 100, setting: 20, beside: 0) == [20])
        #expect(cache(limit: 15, setting: 20, beside: 0) == [5])
        #expect(cache(limit: .max, setting: 20, beside: 1) == [20, 20])
        #expect(cache(limit: 40, setting: 20, beside: 1) == [10, 10])
        // At least for an answer of full length.
        #expect(cache(limit: 100, setting: 1, beside: 1) == [2, 2])
        // They do not fit together: the first one has what is there, or two of three.
        #expect(cache(limit: 20, setting: 20, beside: 1).first == 10)
        #expect(cache(limit: 30, setting: 20, beside: 2).prefix(2) == [5, 5])
    }

    @Test("where the limit is lowered, idle models leave, and used ones stay")
    func lowered() {
        var memory = Self.memory(limit: 12, "a3", "b3", "c3")
        for name in ["a3", "b3", "c3"] { memory.take(name, beside: [], at: Self.start) }
        #expect(memory.excess(used: []) == [])
        memory.limitBytes = 4 << 20
        #expect(memory.excess(used: ["a3"]) == ["b3", "c3"])
        memory.setLeaving("b3", true)
        #expect(memory.excess(used: ["a3"]) == ["c3"])
        #expect(memory.excess(used: ["a3", "c3"]) == [])
    }
}
