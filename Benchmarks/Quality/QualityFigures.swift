// What is measured of one arithmetic over a text.

import Glibc

/// The figures of one arithmetic.
package struct QualityFigures: Codable, Hashable, Sendable {
    /// How the other arithmetic's next tokens differ from float32's.
    package struct Difference: Codable, Hashable, Sendable {
        /// The share of positions with the same likeliest token.
        package let agreement: Double
        /// The mean divergence, in nats.
        package let mean: Double
        /// 99 % of the positions have at most this divergence.
        package let most: Double
        /// The largest divergence.
        package let largest: Double

        private enum CodingKeys: String, CodingKey {
            case agreement
            case mean = "kl_mean"
            case most = "kl_p99"
            case largest = "kl_max"
        }
    }

    /// The arithmetic, as receipts name it: "avx2-int8".
    package let kernels: String
    /// The mean of the negative logarithm of each next token's probability.
    package let nats: Double
    /// `exp(nats)`.
    package let perplexity: Double
    /// The difference from float32; nil for float32 itself.
    package let difference: Difference?

    private enum CodingKeys: String, CodingKey {
        case kernels, perplexity, difference
        case nats = "nats_per_token"
    }
}

/// Collects the figures of one arithmetic.
struct QualitySum {
    private var nats = 0.0
    private var count = 0
    private var agreements = 0
    private var divergences: [Double] = []

    /// Adds the probability of the token that follows.
    mutating func add(_ logProbability: Double) {
        nats -= logProbability
        count += 1
    }

    /// Adds a comparison with float32.
    mutating func add(divergence: Double, agrees: Bool) {
        divergences.append(divergence)
        agreements += agrees ? 1 : 0
    }

    func figures(_ kernels: String) -> QualityFigures {
        let mean = nats / Double(max(1, count))
        var difference: QualityFigures.Difference?
        if !divergences.isEmpty {
            let sorted = divergences.sorted()
            difference = QualityFigures.Difference(
                agreement: Double(agreements) / Double(sorted.count),
                mean: sorted.reduce(0, +) / Double(sorted.count),
                most: sorted[min(sorted.count - 1, sorted.count * 99 / 100)],
                largest: sorted[sorted.count - 1]
            )
        }
        return QualityFigures(
            kernels: kernels,
            nats: mean,
            perplexity: exp(mean),
            difference: difference
        )
    }
}
