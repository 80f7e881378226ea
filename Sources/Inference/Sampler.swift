// From logits to the next token. Pure: the same logits, history and seed give the same tokens.
//
// The order is Hugging Face's: repetition penalty, temperature, top-k, top-p, min-p. Weights are
// kept relative to the likeliest token, which has weight 1, so no pass over the vocabulary is spent
// on normalising, and min-p is a plain comparison. The vocabulary (up to 200,064 rows) is never
// sorted as a whole: top-k uses a bounded heap, and top-p first drops by a threshold what provably
// cannot be among the kept.

public import Checkpoints
import Glibc

/// Draws the tokens of one answer; each answer has its own, so that neighbours in a batch do not
/// change each other's texts.
public struct Sampler: Sendable {
    private let parameters: SamplingParameters
    private let samplable: SamplableTokens
    private var generator: SplitMix64

    /// A sampler at the start of an answer.
    public init(_ parameters: SamplingParameters, samplable: SamplableTokens) {
        self.parameters = parameters
        self.samplable = samplable
        generator = SplitMix64(seed: parameters.seed ?? UInt64.random(in: .min ... .max))
    }

    /// Goes on as if `count` tokens had been drawn: each takes one number of the generator, where
    /// there is a choice at all.
    mutating func skip(_ count: Int) {
        if !parameters.takesLikeliest { generator.skip(count) }
    }

    /// Draws one token.
    /// - Parameters:
    ///   - logits: one for each row of the vocabulary; used as scratch memory.
    ///   - recent: prompt and answer so far; the penalty looks at the end of it.
    /// - Returns: nil where no samplable row holds a finite number, which means a damaged model.
    public mutating func sample(
        _ logits: consuming [Float],
        recent: ArraySlice<TokenID>
    ) -> TokenID? {
        penalize(&logits, recent: recent)
        let ranges = samplable.clamped(to: logits.count)
        guard let best = Self.likeliest(of: logits, in: ranges) else { return nil }
        if parameters.takesLikeliest { return TokenID(best) }

        weigh(&logits, best: best, in: ranges)
        if parameters.topK == 0 && parameters.topP == 1 {
            return TokenID(drawFromAll(logits, in: ranges) ?? best)
        }
        let candidates = keep(from: logits, in: ranges)
        return TokenID(draw(candidates) ?? best)
    }

    // MARK: - Steps

    /// The penalty of Keskar and others (CTRL, 2019), once for each distinct recent token.
    private func penalize(_ logits: inout [Float], recent: ArraySlice<TokenID>) {
        let penalty = Float(parameters.repetitionPenalty)
        guard penalty != 1 else { return }
        for token in Set(recent.suffix(parameters.repetitionWindow)) {
            guard let id = Int(exactly: token), logits.indices.contains(id) else { continue }
            logits[id] = logits[id] > 0 ? logits[id] / penalty : logits[id] * penalty
        }
    }

    /// The row with the greatest finite logit, the lowest id among equals.
    private static func likeliest(of logits: [Float], in ranges: [Range<Int>]) -> Int? {
        var best: Int?
        var bestLogit = -Float.infinity
        for range in ranges {
            for id in range where logits[id] > bestLogit && logits[id] < .infinity {
                best = id
                bestLogit = logits[id]
            }
        }
        return best
    }

    /// Turns logits into weights: 1 for `best`, 0 for rows that hold no finite number.
    private func weigh(_ logits: inout [Float], best: Int, in ranges: [Range<Int>]) {
        let inverse = Float(1 / max(parameters.temperature, 1e-6))
        let top = logits[best]
        for range in ranges {
            for id in range {
                // Rows above the best one are infinite; not-a-number fails the comparison too.
                logits[id] = logits[id] <= top ? expf((logits[id] - top) * inverse) : 0
            }
        }
    }

    /// The tokens that top-k, top-p and min-p leave, likeliest first.
    private func keep(from weights: [Float], in ranges: [Range<Int>]) -> [WeightedToken] {
        var candidates: [WeightedToken]
        let total: Double
        if parameters.topK > 0 {
            var top = TopTokens(limit: parameters.topK)
            for range in ranges {
                for id in range { top.offer(WeightedToken(id: id, weight: weights[id])) }
            }
            candidates = top.tokens
            total = candidates.reduce(0) { $0 + Double($1.weight) }
        } else {
            total = Self.sum(of: weights, in: ranges)
            // Rows below the floor are fewer than `count`, so together they have less than the
            // share that top-p drops: none of them can be among the kept.
            let count = ranges.reduce(0) { $0 + $1.count }
            let floor = Float((1 - parameters.topP) * total / Double(count))
            candidates = []
            for range in ranges {
                for id in range where weights[id] >= floor {
                    candidates.append(WeightedToken(id: id, weight: weights[id]))
                }
            }
        }
        candidates.sort { $0.isLikelier(than: $1) }
        return cut(candidates, total: total)
    }

    /// The shortest prefix that has the share `topP` of `total`, less what min-p drops.
    private func cut(_ candidates: [WeightedToken], total: Double) -> [WeightedToken] {
        var kept: [WeightedToken] = []
        var sum = 0.0
        let floor = Float(parameters.minP)
        for candidate in candidates where candidate.weight >= floor {
            kept.append(candidate)
            sum += Double(candidate.weight)
            if sum >= parameters.topP * total { break }
        }
        return kept
    }

    private mutating func draw(_ candidates: [WeightedToken]) -> Int? {
        let total = candidates.reduce(0) { $0 + Double($1.weight) }
        var rest = generator.nextUnit() * total
        for candidate in candidates {
            rest -= Double(candidate.weight)
            if rest < 0 { return candidate.id }
        }
        return nil
    }

    /// Draws without selecting first: min-p alone is a threshold.
    private mutating func drawFromAll(_ weights: [Float], in ranges: [Range<Int>]) -> Int? {
        let floor = Float(parameters.minP)
        let total = Self.sum(of: weights, in: ranges, from: floor)
        var rest = generator.nextUnit() * total
        for range in ranges {
            for id in range where weights[id] >= floor {
                rest -= Double(weights[id])
                if rest < 0 { return id }
            }
        }
        return nil
    }

    private static func sum(
        of weights: [Float],
        in ranges: [Range<Int>],
        from floor: Float = 0
    ) -> Double {
        var sum = 0.0
        for range in ranges {
            for id in range where weights[id] >= floor { sum += Double(weights[id]) }
        }
        return sum
    }
}
