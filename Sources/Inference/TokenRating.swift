// Computes the probabilities of sampled tokens.

package import Checkpoints
import Glibc

extension SampledToken {
    /// Rates a token by the softmax over all rows that have a token.
    /// - Parameters:
    ///   - token: the token.
    ///   - logits: the model's own, unchanged.
    ///   - samplable: the rows with tokens.
    ///   - topCount: how many of the likeliest tokens to return.
    package init(_ token: TokenID, in logits: [Float], _ samplable: SamplableTokens, topCount: Int)
    {
        let ranges = samplable.clamped(to: logits.count)
        var best = -Float.infinity
        for range in ranges {
            for id in range where logits[id] > best && logits[id] < .infinity { best = logits[id] }
        }
        var sum = 0.0
        var top = topCount > 0 ? TopTokens(limit: topCount) : nil
        for range in ranges {
            // Rows without a finite number have no probability.
            for id in range where logits[id] <= best && logits[id] > -.infinity {
                sum += Double(expf(logits[id] - best))
                top?.offer(WeightedToken(id: id, weight: logits[id]))
            }
        }
        let normalizer = Double(best) + log(sum)
        func rated(_ id: Int) -> RatedToken {
            RatedToken(token: TokenID(id), logprob: Float(Double(logits[id]) - normalizer))
        }
        self.token = rated(Int(token))
        self.top = (top?.tokens ?? []).sorted { $0.isLikelier(than: $1) }.map { rated($0.id) }
    }
}

/// Rates the tokens of one answer.
struct TokenRating: Sendable {
    private let topCount: Int
    private let samplable: SamplableTokens
    /// The logits of the next token.
    private var logits: [Float] = []
    /// Rated tokens that were not taken.
    private var rated: [SampledToken] = []

    init(topCount: Int, samplable: SamplableTokens) {
        self.topCount = topCount
        self.samplable = samplable
    }

    /// Notes the logits of the next token.
    mutating func read(_ new: UnsafeMutableBufferPointer<Float>) {
        if logits.count == new.count {
            logits.withUnsafeMutableBufferPointer { _ = $0.update(from: new) }
        } else {
            logits = Array(new)
        }
    }

    /// Rates the token that was sampled.
    mutating func rate(_ token: TokenID) {
        rated.append(SampledToken(token, in: logits, samplable, topCount: topCount))
    }

    /// The tokens that were rated since the last call.
    mutating func take() -> [SampledToken] {
        defer { rated.removeAll() }
        return rated
    }
}
