// The parameters as JSON, with the names of OpenAI's API and similar ones.

extension SamplingParameters: Codable {
    private enum CodingKeys: String, CodingKey {
        case temperature, seed
        case topP = "top_p"
        case topK = "top_k"
        case minP = "min_p"
        case repetitionPenalty = "repetition_penalty"
        case repetitionWindow = "repetition_window"
        case presencePenalty = "presence_penalty"
        case frequencyPenalty = "frequency_penalty"
        case logitBias = "logit_bias"
    }

    /// Decodes the parameters; missing ones have their defaults.
    /// - Throws: `DecodingError`, also for values out of range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let greedy = Self.greedy
        func value<Value: Decodable>(_ key: CodingKeys, _ standard: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? standard
        }
        do {
            try self.init(
                temperature: value(.temperature, greedy.temperature),
                topP: value(.topP, greedy.topP),
                topK: value(.topK, greedy.topK),
                minP: value(.minP, greedy.minP),
                repetitionPenalty: value(.repetitionPenalty, greedy.repetitionPenalty),
                repetitionWindow: value(.repetitionWindow, greedy.repetitionWindow),
                presencePenalty: value(.presencePenalty, greedy.presencePenalty),
                frequencyPenalty: value(.frequencyPenalty, greedy.frequencyPenalty),
                logitBias: value(.logitBias, greedy.logitBias),
                seed: container.decodeIfPresent(UInt64.self, forKey: .seed)
            )
        } catch let error as SamplingError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(error)")
            )
        }
    }

    /// Encodes the parameters; penalties, biases and seed only if there are some.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(temperature, forKey: .temperature)
        try container.encode(topP, forKey: .topP)
        try container.encode(topK, forKey: .topK)
        try container.encode(minP, forKey: .minP)
        try container.encode(repetitionPenalty, forKey: .repetitionPenalty)
        try container.encode(repetitionWindow, forKey: .repetitionWindow)
        if presencePenalty != 0 { try container.encode(presencePenalty, forKey: .presencePenalty) }
        if frequencyPenalty != 0 {
            try container.encode(frequencyPenalty, forKey: .frequencyPenalty)
        }
        if !logitBias.isEmpty { try container.encode(logitBias, forKey: .logitBias) }
        try container.encodeIfPresent(seed, forKey: .seed)
    }
}
