// What OpenAI's parameters `logit_bias`, `presence_penalty` and `frequency_penalty` do to logits.
// https://platform.openai.com/docs/guides/advanced-usage (mu[j] - c[j] * alpha_frequency -
// float(c[j] > 0) * alpha_presence)
//
// Only tokens of the answer count, not those of the prompt, as in vLLM: an answer that is resumed
// counts those of its earlier runs.

import Checkpoints

/// Biases and penalties of one answer.
struct LogitAdjustments: Sendable {
    private let biases: [TokenBias]
    private let presence: Float
    private let frequency: Float
    /// How often each token is in the answer; empty without penalties.
    private var counts: [TokenID: Int] = [:]

    /// Creates the adjustments at the start of an answer.
    /// - Returns: nil if the parameters change nothing, so that nothing is done for each token.
    init?(_ parameters: SamplingParameters) {
        biases = parameters.logitBias
        presence = Float(parameters.presencePenalty)
        frequency = Float(parameters.frequencyPenalty)
        if biases.isEmpty, !hasPenalties { return nil }
    }

    private var hasPenalties: Bool { presence != 0 || frequency != 0 }

    /// Counts a token of the answer.
    mutating func count(_ token: TokenID) {
        if hasPenalties { counts[token, default: 0] += 1 }
    }

    /// Changes the logits of the next token.
    func apply(to logits: UnsafeMutableBufferPointer<Float>) {
        for entry in biases {
            guard let id = Int(exactly: entry.token), logits.indices.contains(id) else { continue }
            logits[id] += Float(entry.bias)
        }
        for (token, count) in counts {
            guard let id = Int(exactly: token), logits.indices.contains(id) else { continue }
            logits[id] -= Float(count) * frequency + presence
        }
    }
}
