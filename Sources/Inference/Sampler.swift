// Sampling of the next token from logits. Deterministic: the same logits, history and seed give the
// same tokens.
//
// The order is that of Hugging Face: repetition penalty, temperature, top-k, top-p, min-p. Biases
// and the penalties of OpenAI's API come after the repetition penalty (LogitAdjustments). Weights
// are relative to the likeliest token, whose weight is 1, so no pass over the vocabulary is needed
// for normalizing, and min-p is a comparison. The vocabulary (up to 200,064 rows) is never sorted
// as a whole: top-k uses a bounded heap and computes weights only for candidates; top-p drops
// tokens below two thresholds that are provably too low.

public import Checkpoints

/// Samples the tokens of one answer; each answer has its own sampler, so that answers in a batch do
/// not affect each other.
public struct Sampler: Sendable {
    /// Up to this number of tokens are sorted at once.
    private static let sortedCountMax = 64

    private let parameters: SamplingParameters
    private let samplable: SamplableTokens
    private var generator: SplitMix64
    /// Nil if there are none.
    private var adjustments: LogitAdjustments?

    /// Creates a sampler at the start of an answer.
    public init(_ parameters: SamplingParameters, samplable: SamplableTokens) {
        self.parameters = parameters
        self.samplable = samplable
        generator = SplitMix64(seed: parameters.seed ?? UInt64.random(in: .min ... .max))
        adjustments = LogitAdjustments(parameters)
    }

    /// Advances as if these tokens had been sampled: one random number for each, unless sampling is
    /// greedy.
    mutating func skip(_ tokens: some Collection<TokenID>) {
        if !parameters.takesLikeliest { generator.skip(tokens.count) }
        for token in tokens { adjustments?.count(token) }
    }

    /// Samples one token.
    /// - Parameters:
    ///   - logits: one for each row of the vocabulary; modified.
    ///   - recent: prompt and answer so far, for the penalty.
    /// - Returns: nil if no samplable row has a finite number, which means a damaged model.
    public mutating func sample(
        _ logits: consuming [Float],
        recent: ArraySlice<TokenID>
    ) -> TokenID? {
        logits.withUnsafeMutableBufferPointer { sample(in: $0, recent: recent) }
    }

    /// The same, in place.
    package mutating func sample(
        in logits: UnsafeMutableBufferPointer<Float>,
        recent: ArraySlice<TokenID>
    ) -> TokenID? {
        penalize(logits, recent: recent)
        adjustments?.apply(to: logits)
        let token = select(from: logits)
        if let token { adjustments?.count(token) }
        return token
    }

    /// Selects a token after the penalties.
    private mutating func select(from logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
        let ranges = samplable.clamped(to: logits.count)
        guard let best = Self.likeliest(of: logits, in: ranges) else { return nil }
        if parameters.takesLikeliest { return TokenID(best) }

        let scale = WeightScale(top: logits[best], temperature: parameters.temperature)
        if parameters.topK > 0 {
            let tokens = likeliestTokens(of: logits, scale, in: ranges)
            let total = tokens.reduce(0) { $0 + Double($1.weight) }
            return TokenID(draw(cut(tokens, total: total)) ?? best)
        }
        weigh(logits, scale, in: ranges)
        guard parameters.topP < 1 else {
            return TokenID(drawFromAll(logits, in: ranges) ?? best)
        }
        let total = Self.sum(of: logits, in: ranges)
        let tokens = tokensOfNucleus(of: logits, total: total, in: ranges)
        return TokenID(draw(cut(tokens, total: total)) ?? best)
    }

    // MARK: - Steps

    /// The repetition penalty of Keskar and others (CTRL, 2019), once for each distinct recent
    /// token.
    private func penalize(
        _ logits: UnsafeMutableBufferPointer<Float>,
        recent: ArraySlice<TokenID>
    ) {
        let penalty = Float(parameters.repetitionPenalty)
        guard penalty != 1 else { return }
        for token in Set(recent.suffix(parameters.repetitionWindow)) {
            guard let id = Int(exactly: token), logits.indices.contains(id) else { continue }
            logits[id] = logits[id] > 0 ? logits[id] / penalty : logits[id] * penalty
        }
    }

    /// The row with the greatest finite logit, the lowest id among equal ones.
    private static func likeliest(
        of logits: UnsafeMutableBufferPointer<Float>,
        in ranges: [Range<Int>]
    ) -> Int? {
        var best = -1
        var bestLogit = -Float.infinity
        for range in ranges {
            for id in range where logits[id] > bestLogit && logits[id] < .infinity {
                best = id
                bestLogit = logits[id]
            }
        }
        return best >= 0 ? best : nil
    }

    /// Turns logits into weights.
    private func weigh(
        _ logits: UnsafeMutableBufferPointer<Float>,
        _ scale: WeightScale,
        in ranges: [Range<Int>]
    ) {
        for range in ranges {
            for id in range { logits[id] = scale.weight(of: logits[id]) }
        }
    }

    /// The tokens that remain after top-k. The weight of a row is computed only if its logit is
    /// near or above that of the least likely token so far.
    private func likeliestTokens(
        of logits: UnsafeMutableBufferPointer<Float>,
        _ scale: WeightScale,
        in ranges: [Range<Int>]
    ) -> [WeightedToken] {
        var top = TopTokens(limit: parameters.topK)
        // Rows with NaN have weight 0, and are added only while there is space.
        var logitMin = -Float.infinity
        for range in ranges {
            for id in range where logits[id] >= logitMin || !top.isFull {
                top.offer(WeightedToken(id: id, weight: scale.weight(of: logits[id])))
                if top.isFull, top.tokens[0].weight > 0 {
                    logitMin = logits[top.tokens[0].id] - scale.margin
                }
            }
        }
        return top.tokens
    }

    /// A superset of the tokens that remain after top-p, with few others.
    private func tokensOfNucleus(
        of weights: UnsafeMutableBufferPointer<Float>,
        total: Double,
        in ranges: [Range<Int>]
    ) -> [WeightedToken] {
        // Rows below the floor are fewer than `count`, so together they have less than the share
        // that top-p drops: none of them can be kept.
        let count = ranges.reduce(0) { $0 + $1.count }
        let floor = Float((1 - parameters.topP) * total / Double(count))
        var tokens: [WeightedToken] = []
        for range in ranges {
            for id in range where weights[id] >= floor {
                tokens.append(WeightedToken(id: id, weight: weights[id]))
            }
        }
        guard tokens.count > Self.sortedCountMax else { return tokens }
        let nucleusFloor = Nucleus.floor(of: tokens, share: parameters.topP * total)
        tokens.removeAll { $0.weight < nucleusFloor }
        return tokens
    }

    /// The shortest prefix of `tokens`, sorted by weight, with the share `topP` of `total`, without
    /// those that min-p drops; likeliest first.
    private func cut(_ tokens: [WeightedToken], total: Double) -> [WeightedToken] {
        var kept: [WeightedToken] = []
        var sum = 0.0
        let floor = Float(parameters.minP)
        for token in tokens.sorted(by: { $0.isLikelier(than: $1) }) where token.weight >= floor {
            kept.append(token)
            sum += Double(token.weight)
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

    /// Samples without selecting first: min-p alone is a threshold.
    private mutating func drawFromAll(
        _ weights: UnsafeMutableBufferPointer<Float>,
        in ranges: [Range<Int>]
    ) -> Int? {
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
        of weights: UnsafeMutableBufferPointer<Float>,
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
