// The logits after one token as probabilities, and how far those of another arithmetic are from them.

package import Checkpoints
import Glibc

/// The logits of one position. It reads memory that its owner must keep.
package struct LogitRow {
    private let logits: UnsafeMutableBufferPointer<Float>
    /// The natural logarithm of the sum of all weights.
    private let logSum: Double
    /// The likeliest token, the lowest id among equal ones.
    package let best: TokenID

    /// Reads logits.
    /// - Parameter logits: one for each row of the vocabulary; not empty.
    package init(_ logits: UnsafeMutableBufferPointer<Float>) {
        var best = 0
        for index in logits.indices where logits[index] > logits[best] { best = index }
        let top = Double(logits[best])
        var sum = 0.0
        for logit in logits { sum += exp(Double(logit) - top) }
        self.logits = logits
        self.best = TokenID(best)
        logSum = top + log(sum)
    }

    /// The natural logarithm of a token's probability.
    package func logProbability(of token: TokenID) -> Double {
        Double(logits[Int(token)]) - logSum
    }

    /// The Kullback-Leibler divergence of another distribution from this one, in nats: what is lost on
    /// average if tokens of this one are coded by the other.
    package func divergence(of other: LogitRow) -> Double {
        var sum = 0.0
        for index in logits.indices {
            let own = Double(logits[index]) - logSum
            let difference = own - (Double(other.logits[index]) - other.logSum)
            sum += exp(own) * difference
        }
        // Rounding may make it a little less than nothing.
        return max(0, sum)
    }
}
