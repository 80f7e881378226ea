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
