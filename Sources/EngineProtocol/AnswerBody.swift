// The JSON of requests for an answer, as each kind of engine wants it.

/// The body of a request: members that are nil are not sent.
struct AnswerBody: Encodable {
    private struct StreamOptions: Encodable {
        let includeUsage = true

        enum CodingKeys: String, CodingKey { case includeUsage = "include_usage" }
    }

    private let model: String
    private let stream = true
    private var prompt: [Int32]?
    private var messages: [AnswerRequest.Message]?
    private var addGenerationPrompt: Bool?
    private var continueFinalMessage: Bool?
    private var maxTokens: Int?
    private var predictCount: Int?
    private var streamOptions: StreamOptions?
    private var stop: [String]?
    private let temperature: Double
    private let topP: Double
    private let seed: UInt64?
    private var topK: Int?
    private var minP: Double?
    private var repetitionPenalty: Double?
    private var repeatPenalty: Double?
    private var presencePenalty: Double?
    private var frequencyPenalty: Double?
    private var logitBias: BiasObject?
    private var responseFormat: ResponseFormat?
    private var jsonSchema: SchemaForm?
    private var thinkingTokenBudget: Int?
    private var thinkingBudgetTokens: Int?
    private var maxThinkingTokens: Int?
    private var cacheSalt: String?
    private var cachePrompt: Bool?

    enum CodingKeys: String, CodingKey {
        case model, stream, prompt, messages, stop, temperature, seed
        case addGenerationPrompt = "add_generation_prompt"
        case continueFinalMessage = "continue_final_message"
        case maxTokens = "max_tokens"
        case predictCount = "n_predict"
        case streamOptions = "stream_options"
        case topP = "top_p"
        case topK = "top_k"
        case minP = "min_p"
        case repetitionPenalty = "repetition_penalty"
        case repeatPenalty = "repeat_penalty"
        case presencePenalty = "presence_penalty"
        case frequencyPenalty = "frequency_penalty"
        case logitBias = "logit_bias"
        case responseFormat = "response_format"
        case jsonSchema = "json_schema"
        case thinkingTokenBudget = "thinking_token_budget"
        case thinkingBudgetTokens = "thinking_budget_tokens"
        case maxThinkingTokens = "max_thinking_tokens"
        case cacheSalt = "cache_salt"
        case cachePrompt = "cache_prompt"
    }

    init(_ request: AnswerRequest, for kind: EngineKind) throws(EngineFault) {
        model = request.model
        temperature = request.temperature
        topP = request.topP
        seed = request.seed
        stop = request.stopStrings.isEmpty ? nil : request.stopStrings
        if request.dialect(for: kind) == .llama {
            predictCount = request.tokensMax
        } else {
            maxTokens = request.tokensMax
            streamOptions = StreamOptions()
        }
        switch request.prompt {
        case .tokens(let tokens): prompt = tokens
        case .messages(let messages, let answer): try set(messages, answer, kind)
        }
        setExtensions(request, kind)
        try setAdjustments(request, kind)
        try setThinking(request, kind)
        if let constraint = request.constraint {
            guard !request.hasBegun else { throw .cannotContinue }
            (responseFormat, jsonSchema) = try FormOfRequest(
                constraint,
                request.dialect(for: kind),
                kind
            ).members
        }
    }

    private mutating func set(
        _ messages: [AnswerRequest.Message],
        _ answer: String,
        _ kind: EngineKind
    ) throws(EngineFault) {
        guard !messages.isEmpty else { throw .cannotTakeTokens }
        self.messages = messages
        guard !answer.isEmpty else { return }
        guard kind.continuesMessages else { throw .cannotContinue }
        self.messages?.append(.init(role: "assistant", content: answer))
        continueFinalMessage = true
        // vLLM refuses both together; SGLang always opens the answer before it continues it.
        if kind == .vllm { addGenerationPrompt = false }
    }

    private mutating func setAdjustments(
        _ request: AnswerRequest,
        _ kind: EngineKind
    ) throws(EngineFault) {
        if request.presencePenalty != 0 { presencePenalty = request.presencePenalty }
        if request.frequencyPenalty != 0 { frequencyPenalty = request.frequencyPenalty }
        if !request.logitBias.isEmpty { logitBias = BiasObject(biases: request.logitBias) }
        let isPlain = presencePenalty == nil && frequencyPenalty == nil && logitBias == nil
        guard isPlain || kind.adjustsLogits else { throw .cannotAdjustLogits }
    }

    /// The limit of the thinking part, which each engine names in its own way, if it has one.
    private mutating func setThinking(
        _ request: AnswerRequest,
        _ kind: EngineKind
    ) throws(EngineFault) {
        guard let limit = request.thinkingTokensMax else { return }
        guard kind.limitsThinking, request.dialect(for: kind) == .chat else {
            throw .cannotLimitThinking
        }
        switch kind {
        case .vllm: thinkingTokenBudget = limit
        case .llamaServer: thinkingBudgetTokens = limit
        default: maxThinkingTokens = limit
        }
    }

    /// Members beyond OpenAI's API. A sampler that is off is sent only to engines that may have it on by
    /// default: a program that does not know a member may refuse it.
    private mutating func setExtensions(_ request: AnswerRequest, _ kind: EngineKind) {
        let isTold = kind.hasSamplersOn
        if request.topK > 0 {
            topK = request.topK
        } else if isTold {
            // SGLang refuses 0.
            topK = kind == .sglang ? -1 : 0
        }
        if request.minP > 0 || isTold { minP = request.minP }
        if request.repetitionPenalty != 1 || isTold {
            if kind.isLlama {
                repeatPenalty = request.repetitionPenalty
            } else {
                repetitionPenalty = request.repetitionPenalty
            }
        }
        switch kind {
        // The speed of reading a prompt reveals what others have asked: these keep salts apart.
        case .vllm, .sglang: cacheSalt = request.cacheScope
        case .llamaServer: cachePrompt = true
        default: break
        }
    }
}

/// The biases as OpenAI's API has them: an object from token ids to biases.
private struct BiasObject: Encodable {
    private struct Key: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map { "\($0)" } ?? "" }

        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }

    let biases: [AnswerRequest.TokenBias]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for entry in biases {
            try container.encode(entry.bias, forKey: Key(intValue: Int(entry.token)))
        }
    }
}
