// The choice of experts in a mixture: SparseMixer at inference, as in mlx-lm's phimoe.py and
// transformers' modeling_phimoe.py.

package import Checkpoints
import Glibc

/// Chooses a token's experts by the router's logits. Each choice takes the best expert that is
/// left; its weight is its softmax among those that are left and near the best. Weights of several
/// experts need not add up to 1.
package struct SparseMixer {
    let expertCount: Int
    let chosenCount: Int
    /// Experts are near if their distance from the best is at most this share of the larger of
    /// the best logit and the magnitude of their own.
    let nearness: Float

    package init(_ choice: ExpertChoice) {
        expertCount = choice.count
        chosenCount = choice.chosenCount
        nearness = Float(2 * choice.jitter)
    }

    /// Writes the chosen experts and their weights, `chosenCount` each, the best one first.
    package func choose(
        _ logits: UnsafePointer<Float>,
        experts: UnsafeMutablePointer<Int>,
        weights: UnsafeMutablePointer<Float>
    ) {
        for rank in 0..<chosenCount {
            let taken = UnsafeBufferPointer(start: experts, count: rank)
            var best: Int?
            for expert in 0..<expertCount where !taken.contains(expert) {
                if let earlier = best, !(logits[expert] > logits[earlier]) { continue }
                best = expert
            }
            guard let best else { preconditionFailure("more choices than experts") }
            let top = logits[best]
            var sum: Float = 0
            for expert in 0..<expertCount where !taken.contains(expert) {
                let distance = (top - logits[expert]) / max(abs(logits[expert]), top)
                // The quotient of two zeros is NaN, and near.
                if !(distance > nearness) { sum += exp(logits[expert] - top) }
            }
            experts[rank] = best
            weights[rank] = 1 / sum
        }
    }
}
