import Checkpoints
import PhiModel
import Testing

/// The reference agrees with a float64 program to 1.5e-5; float32 sums in another order add about
/// as much. The issue asks for 1e-3.
private let tolerance: Float = 1e-4

@Suite("tiny models against mlx-lm's values")
struct GoldenModelTests {
    @Test("logits of every position", arguments: Golden.modelNames)
    func logits(name: String) throws {
        let session = try Golden.model(name).makeSession(threadCount: 1)
        var worst: Float = 0
        for golden in try Golden.sequences(name) {
            let cache = try session.model.makeCache(
                capacity: 64,
                ropeFactors: session.model.ropeFactors(forLength: 64, rule: golden.rule)
            )
            let logits = try session.logitsOfAllPositions(golden.tokens, cache: cache)
            #expect(logits.map(argmax) == golden.argmax)
            worst = max(worst, maximumDifference(logits[logits.count - 1], golden.lastLogits))
            for (position, first) in golden.firstLogits.enumerated() {
                worst = max(
                    worst,
                    maximumDifference(Array(logits[position].prefix(8)), first)
                )
            }
        }
        #expect(worst < tolerance)
    }

    @Test("greedy tokens", arguments: Golden.modelNames)
    func greedy(name: String) throws {
        let session = try Golden.model(name).makeSession(threadCount: 2)
        for golden in try Golden.sequences(name) {
            let answer = try session.greedy(
                golden.tokens,
                count: golden.greedy.count,
                rule: golden.rule
            )
            #expect(answer == golden.greedy, "\(golden.testDescription)")
        }
    }
}
