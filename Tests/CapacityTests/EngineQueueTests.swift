import Capacity
import Testing

@Suite("The queue in front of engines")
struct EngineQueueTests {
    private typealias Scene = CapacityScene

    /// An engine whose step takes the same time for any number of answers.
    private func steady(_ tokensPerSecond: Double, to count: Int) -> EngineSpeed {
        EngineSpeed(
            model: "steady",
            batches: [1, count].map {
                .init(answers: $0, tokensPerSecond: tokensPerSecond * Double($0))
            },
            promptTokensPerSecond: 0
        )
    }

    @Test("is M/M/c where a step takes the same time for all batches")
    func erlang() {
        // 8 servers, each of which ends one answer a second, and 6 questions a second: Erlang's C is
        // 0.3570, so the mean wait is 0.1785 s.
        let queue = EngineQueue(
            speed: steady(100, to: 8),
            engines: 1,
            slots: 8,
            load: Scene.load(6)
        )
        #expect(Scene.isNear(queue.utilization, 0.75))
        #expect(Scene.isNear(queue.waitProbability, 0.3570))
        #expect(Scene.isNear(queue.meanWait, 0.1785))
        #expect(Scene.isNear(queue.running, 6))
        #expect(Scene.isNear(1 / queue.stepSeconds, 100))
    }

    @Test("is M/M/1 with one slot, and M/D/1 where answers have the same length")
    func one() {
        var load = Scene.load(0.5)
        let exponential = EngineQueue(speed: steady(100, to: 1), engines: 1, slots: 1, load: load)
        #expect(Scene.isNear(exponential.meanWait, 1))
        load.answerVariation = 0
        let equal = EngineQueue(speed: steady(100, to: 1), engines: 1, slots: 1, load: load)
        #expect(Scene.isNear(equal.meanWait, 0.5))
    }

    @Test("is a shared processor where a batch is no faster than one answer")
    func sharing() {
        let speed = EngineSpeed(
            model: "shared",
            batches: [
                .init(answers: 1, tokensPerSecond: 100), .init(answers: 64, tokensPerSecond: 100),
            ],
            promptTokensPerSecond: 0
        )
        // A turn alone takes 1 s; at half of the capacity it takes twice as long.
        let queue = EngineQueue(speed: speed, engines: 1, slots: 64, load: Scene.load(0.5))
        #expect(Scene.isNear(queue.running, 1))
        #expect(Scene.isNear(queue.running / 0.5, 2))
        #expect(queue.waitProbability < 1e-9)
    }

    @Test("grows without end beyond the most turns a second")
    func overload() {
        let queue = EngineQueue(speed: Scene.engine, engines: 1, slots: 16, load: Scene.load(1000))
        #expect(queue.utilization > 1)
        #expect(queue.meanWait == .infinity)
        #expect(queue.wait(exceededBy: 0.1) == .infinity)
        #expect(queue.running == 16)
    }

    @Test("answers an idle team at the speed of one answer")
    func idle() {
        let queue = EngineQueue(
            speed: Scene.engine,
            engines: 1,
            slots: 16,
            load: Scene.load(1e-9, prompt: 500)
        )
        #expect(queue.meanWait < 1e-6)
        #expect(Scene.isNear(1 / queue.stepSeconds, 20))
        // 500 tokens at 1,000 a second.
        #expect(Scene.isNear(queue.readSeconds, 0.5, within: 0.05))
    }

    @Test("is slower for each reader, and for each question, the more are asked")
    func growth() {
        var before: EngineQueue?
        for turns in stride(from: 0.1, through: 1.5, by: 0.1) {
            let queue = EngineQueue(
                speed: Scene.engine,
                engines: 1,
                slots: 16,
                load: Scene.load(turns, prompt: 200)
            )
            if let before {
                #expect(queue.utilization > before.utilization)
                #expect(queue.meanWait >= before.meanWait)
                #expect(queue.stepSeconds >= before.stepSeconds - 1e-9)
                #expect(queue.readSeconds >= before.readSeconds - 1e-9)
                #expect(queue.wait(exceededBy: 0.01) >= queue.wait(exceededBy: 0.1))
            }
            before = queue
        }
    }

    @Test("has finite figures for many thousands of slots")
    func many() {
        let queue = EngineQueue(
            speed: Scene.engine,
            engines: 2000,
            slots: 16,
            load: Scene.load(3500, prompt: 100)
        )
        #expect(queue.utilization < 1)
        #expect(queue.running.isFinite && queue.meanWait.isFinite && queue.running > 0)
        #expect((0...1).contains(queue.waitProbability))
    }

    @Test(
        "interpolates the time of a step between measured batches",
        arguments: [(0.5, 0.05), (1, 0.05), (3, 0.054), (8, 0.064), (12, 0.072), (32, 0.112)]
    )
    func steps(answers: Double, seconds: Double) {
        #expect(Scene.isNear(Scene.engine.stepSeconds(answers: answers), seconds))
    }

    @Test("takes no step for shorter than one of fewer answers, whatever was measured")
    func noise() {
        let speed = EngineSpeed(
            model: "noisy",
            batches: [
                .init(answers: 2, tokensPerSecond: 30), .init(answers: 1, tokensPerSecond: 10),
            ],
            promptTokensPerSecond: 100
        )
        #expect(speed.stepSeconds(answers: 2) == 0.1)
        #expect(speed.slots(tokensPerSecond: 10) == 2)
        #expect(speed.slots(tokensPerSecond: 11) == 0)
    }
}
