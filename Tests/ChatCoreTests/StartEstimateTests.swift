import ChatCore
import ChatProtocol
import Testing

@Suite("The estimated start of answers")
struct StartEstimateTests {
    private typealias Scene = QueueScene

    /// An engine that reads 1000 tokens a second and generates 10, with answers of 50 tokens.
    private func known() -> StartEstimate {
        var estimate = StartEstimate()
        for _ in 0..<20 {
            estimate.learn(
                StartEstimate.Measured(
                    expectedPromptTokens: 50,
                    promptTokens: 100,
                    answerTokens: 50,
                    readSeconds: 0.1,
                    writeSeconds: 5
                ),
                of: Scene.user(1)
            )
        }
        return estimate
    }

    @Test("gives no times before anything was measured, but queue positions")
    func unknown() {
        var queue = FairQueue()
        for position in 0..<3 { queue.push(Scene.answer(position, of: position)) }
        let positions = StartEstimate().positions(in: queue, occupied: [], slots: 1) { _ in true }
        #expect(positions.map(\.number) == [1, 2, 3])
        #expect(positions.allSatisfy { $0.seconds == nil })
    }

    @Test("assigns the next answer to each slot when it is free")
    func slots() throws {
        var queue = FairQueue()
        for position in 0..<5 { queue.push(Scene.answer(position, of: position, tokens: 100)) }
        let running = [3.0, 7.0].enumerated().map {
            StartEstimate.Occupied(answer: Scene.answer(100 + $0, of: 50 + $0), seconds: $1)
        }
        let positions = known().positions(in: queue, occupied: running, slots: 2) { _ in true }
        // 50 tokens read in 0.05 s and 50 generated in 5 s: 5.05 s each.
        let seconds = positions.compactMap(\.seconds)
        let expected = [3, 7, 8.05, 12.05, 13.1]
        try #require(seconds.count == expected.count)
        for (told, right) in zip(seconds, expected) { #expect(abs(told - right) < 0.01) }
    }

    @Test("learns the lengths of each user's answers, and corrects estimates of prompts")
    func lengths() {
        var estimate = known()
        #expect(estimate.promptTokens(guess: 200) == 400)
        for _ in 0..<20 {
            estimate.learn(
                StartEstimate.Measured(
                    expectedPromptTokens: 100,
                    promptTokens: 100,
                    answerTokens: 500,
                    readSeconds: 0.1,
                    writeSeconds: 50
                ),
                of: Scene.user(2)
            )
        }
        #expect(estimate.answerTokens(for: Scene.user(2), atMost: 1000) > 400)
        #expect(estimate.answerTokens(for: Scene.user(1), atMost: 1000) < 200)
        #expect(estimate.answerTokens(for: Scene.user(2), atMost: 64) == 64)
    }

    @Test("an answer longer than expected is expected to end soon, but not at once")
    func overdue() {
        let estimate = known()
        let user = Scene.user(1)
        #expect(abs(estimate.remaining(user: user, atMost: 999, unread: 0, written: 20) - 3) < 0.01)
        let late = estimate.remaining(user: user, atMost: 999, unread: 0, written: 80)
        #expect(late > 0.1 && late < 3)
        #expect(estimate.remaining(user: user, atMost: 80, unread: 0, written: 80) == 0)
    }

    @Test("a conversation's second answer waits for its first")
    func conversations() {
        var queue = FairQueue()
        queue.push(Scene.answer(0, of: 1, conversation: 7))
        queue.push(Scene.answer(1, of: 1, conversation: 7))
        queue.push(Scene.answer(2, of: 1))
        let positions = known().positions(in: queue, occupied: [], slots: 2) { _ in true }
        #expect(positions.map(\.answer.position) == [0, 2, 1])
        #expect((positions.last?.seconds ?? 0) > 5)
    }

    @Test("a long queue is estimated to its end; answers that cannot start get no time")
    func long() {
        var queue = FairQueue()
        for position in 0..<3000 { queue.push(Scene.answer(position, of: position % 50)) }
        let positions = known().positions(in: queue, occupied: [], slots: 4) { $0.position != 5 }
        #expect(positions.map(\.number) == Array(1...3000))
        #expect(positions.count { $0.seconds == nil } == 1)
        let seconds = positions.compactMap(\.seconds)
        #expect(seconds == seconds.sorted())
    }
}
