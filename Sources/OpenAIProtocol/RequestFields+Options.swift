// Reads what requests for answers ask for beyond the settings of conversations.

import ChatCore
import JSONText

extension RequestFields {
    /// The penalties and biases.
    /// - Throws: `APIError` if one is malformed or out of bounds.
    func options() throws(APIError) -> CompletionOptions {
        var options = CompletionOptions()
        options.presencePenalty = try penalty("presence_penalty")
        options.frequencyPenalty = try penalty("frequency_penalty")
        options.logitBias = try logitBias()
        return options
    }

    /// `logprobs` and `top_logprobs` of a chat completion.
    /// - Returns: nil if no probabilities are wanted.
    /// - Throws: `APIError` if they are malformed, or contradict each other.
    func topLogprobs() throws(APIError) -> Int? {
        let isWanted = try bool("logprobs") ?? false
        let name = "top_logprobs"
        guard let count = try integer(name) else { return isWanted ? 0 : nil }
        guard CompletionOptions.topLogprobsRange.contains(count) else {
            throw APIError.invalid(name, "it must be 0 to 20")
        }
        guard isWanted || count == 0 else {
            throw APIError.invalid(name, "it is only for requests with logprobs: true")
        }
        return isWanted ? count : nil
    }

    /// `n`, the number of answers.
    /// - Throws: `APIError` if it is out of bounds.
    func answerCount() throws(APIError) -> Int {
        let range = ChatCompletionRequest.answerCountRange
        guard let count = try integer("n") else { return 1 }
        guard range.contains(count) else {
            throw APIError.invalid("n", "it must be \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    private func penalty(_ name: String) throws(APIError) -> Double {
        guard let value = try number(name) else { return 0 }
        guard CompletionOptions.penaltyRange.contains(value) else {
            throw APIError.invalid(name, "it must be -2 to 2")
        }
        return value
    }

    /// `logit_bias` is an object from token ids to biases.
    private func logitBias() throws(APIError) -> [CompletionOptions.Bias] {
        let name = "logit_bias"
        guard let value = self[name] else { return [] }
        guard let object = value.object else {
            throw APIError.invalid(
                name,
                "it must be an object, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        guard object.count <= CompletionOptions.logitBiasMax else {
            let most = CompletionOptions.logitBiasMax
            throw APIError.invalid(name, "it has more than \(most) tokens")
        }
        var biases: [CompletionOptions.Bias] = []
        for (key, value) in object {
            // Only the usual form, so that no token is in the object twice.
            guard let token = Int32(key), token >= 0, "\(token)" == key else {
                throw APIError.invalid(name, "\"\(key.prefix(20))\" is not the id of a token")
            }
            guard let bias = value.double, CompletionOptions.biasRange.contains(bias) else {
                throw APIError.invalid(name, "the bias of \(token) must be -100 to 100")
            }
            if bias != 0 { biases.append(CompletionOptions.Bias(token: token, bias: bias)) }
        }
        return biases.sorted { $0.token < $1.token }
    }
}
