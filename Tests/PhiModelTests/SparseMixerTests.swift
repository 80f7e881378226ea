import Checkpoints
import Glibc
import PhiModel
import TestSupport
import Testing

@Suite("the choice of experts")
struct SparseMixerTests {
    private func choose(
        _ logits: [Float],
        count: Int = 2,
        jitter: Double = 0.01
    ) -> (experts: [Int], weights: [Float]) {
        let mixer = SparseMixer(
            ExpertChoice(count: logits.count, chosenCount: count, jitter: jitter)
        )
        var experts = [Int](repeating: -1, count: count)
        var weights = [Float](repeating: -1, count: count)
        mixer.choose(logits, experts: &experts, weights: &weights)
        return (experts, weights)
    }

    @Test("the best experts are chosen, each with its share among those near it")
    func shares() {
        let far = choose([1, 4, 2, 3])
        #expect(far.experts == [1, 3])
        #expect(far.weights == [1, 1])
        let near = choose([1, 4, 2, 3.95])
        #expect(near.experts == [1, 3])
        #expect(abs(near.weights[0] - 1 / (1 + expf(-0.05))) < 1e-6)
        #expect(near.weights[1] == 1)
    }

    @Test("the distance is a share of the larger of the best logit and one's own magnitude")
    func distances() {
        // 0.03 of 2 is within 0.02 of it, of 1 it is not.
        #expect(choose([2, 1.97], count: 1).weights[0] < 0.6)
        #expect(choose([1, 0.97], count: 1).weights[0] == 1)
        #expect(choose([-1.97, -2], count: 1).weights[0] < 0.6)
        #expect(choose([-0.97, -1], count: 1).weights[0] == 1)
    }

    @Test("of equal logits, zeros too, the first is chosen and all are near")
    func ties() {
        let choice = choose([0, 0, 0, 0], count: 3)
        #expect(choice.experts == [0, 1, 2])
        #expect(choice.weights == [0.25, 1 / Float(3), 0.5])
    }

    @Test("whatever the logits, the experts are distinct and the weights are shares")
    func random() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<2000 {
            let count = Int.random(in: 1...8, using: &random)
            let logits = (0..<8).map { _ in Float.random(in: -3...3, using: &random) }
            let choice = choose(logits, count: count, jitter: .random(in: 0...0.2, using: &random))
            #expect(Set(choice.experts).count == count)
            #expect(choice.experts.allSatisfy { (0..<8).contains($0) })
            #expect(choice.weights.allSatisfy { $0 > 0 && $0 <= 1 })
        }
    }

    @Test("logits that are no numbers give weights that are none")
    func notANumber() {
        let choice = choose([.nan, 1, 2])
        #expect(Set(choice.experts).count == 2)
        #expect(choice.weights[0].isNaN)
    }
}
