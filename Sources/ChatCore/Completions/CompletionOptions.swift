// What requests of OpenAI's API ask for beyond the settings that every conversation has.

/// The options of a request's answers. They are stored with the request's conversation, so that
/// every run of an answer has them, on whatever node.
public struct CompletionOptions: Sendable, Hashable {
    /// What is added to the logit of a token.
    public struct Bias: Codable, Sendable, Hashable {
        /// The token.
        public var token: Int32
        /// -100 to 100.
        public var bias: Double

        /// Creates a bias.
        public init(token: Int32, bias: Double) {
            self.token = token
            self.bias = bias
        }
    }

    /// Subtracted from the logits of tokens that are in the answer, -2 to 2.
    public var presencePenalty = 0.0
    /// Subtracted from the logits of tokens once for each time that they are in the answer, -2 to 2.
    public var frequencyPenalty = 0.0
    /// Added to the logits of tokens; ascending, each token once.
    public var logitBias: [Bias] = []
    /// The probabilities of the answer's tokens are wanted, and of this number of the likeliest ones
    /// at their places, 0 to 20; nil if none are.
    public var topLogprobs: Int?
    /// The form of the answers; nil for any text.
    public var format: AnswerFormat?
    /// The prompts without a chat template, in the order of the request's questions; empty if the
    /// template applies.
    public var rawPrompts: [RawPrompt] = []

    /// The functions that the model may call; nil if neither the request nor its messages have any.
    public var tools: ToolUse?

    /// Creates options that ask for nothing.
    public init() {}

    /// Maximum number of biased tokens.
    public static let logitBiasMax = 1024
    /// The range of a penalty.
    public static let penaltyRange = -2.0...2.0
    /// The range of a bias.
    public static let biasRange = -100.0...100.0

    /// The range of `topLogprobs`.
    public static let topLogprobsRange = 0...20

    /// Whether nothing is asked for.
    public var isEmpty: Bool { self == CompletionOptions() }

    /// The same options without penalties and biases.
    public var withoutAdjustments: CompletionOptions {
        var options = self
        (options.presencePenalty, options.frequencyPenalty, options.logitBias) = (0, 0, [])
        return options
    }

    /// The name of the first option that asks for something, as requests name it; nil for none. Not
    /// the form, which has two names.
    public var firstName: String? {
        if presencePenalty != 0 { return "presence_penalty" }
        if frequencyPenalty != 0 { return "frequency_penalty" }
        if !logitBias.isEmpty { return "logit_bias" }
        if topLogprobs != nil { return "logprobs" }
        if let tools { return tools.functions.isEmpty ? "messages" : "tools" }
        if !rawPrompts.isEmpty { return "prompt" }
        return nil
    }
}

extension CompletionOptions: Codable {
    private enum CodingKeys: String, CodingKey {
        case presencePenalty = "presence_penalty"
        case frequencyPenalty = "frequency_penalty"
        case logitBias = "logit_bias"
        case topLogprobs = "top_logprobs"
        case tools
        case format
        case rawPrompts = "prompts"
    }

    /// Reads the stored form, in which missing options ask for nothing.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ standard: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? standard
        }
        presencePenalty = try value(.presencePenalty, 0)
        frequencyPenalty = try value(.frequencyPenalty, 0)
        logitBias = try value(.logitBias, [])
        topLogprobs = try container.decodeIfPresent(Int.self, forKey: .topLogprobs)
        tools = try container.decodeIfPresent(ToolUse.self, forKey: .tools)
        format = try container.decodeIfPresent(AnswerFormat.self, forKey: .format)
        rawPrompts = try value(.rawPrompts, [])
    }

    /// Writes what asks for something.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if presencePenalty != 0 { try container.encode(presencePenalty, forKey: .presencePenalty) }
        if frequencyPenalty != 0 {
            try container.encode(frequencyPenalty, forKey: .frequencyPenalty)
        }
        if !logitBias.isEmpty { try container.encode(logitBias, forKey: .logitBias) }
        try container.encodeIfPresent(topLogprobs, forKey: .topLogprobs)
        try container.encodeIfPresent(tools, forKey: .tools)
        try container.encodeIfPresent(format, forKey: .format)
        if !rawPrompts.isEmpty { try container.encode(rawPrompts, forKey: .rawPrompts) }
    }
}
