// Requests for one answer, as each kind of engine wants them.

/// A request for an answer.
public struct AnswerRequest: Sendable, Hashable {
    /// One message.
    public struct Message: Sendable, Hashable {
        /// The role.
        public var role: String
        /// The content.
        public var content: String

        /// Creates a message.
        public init(role: String, content: String) {
            self.role = role
            self.content = content
        }
    }

    /// What the model is given.
    public enum Prompt: Sendable, Hashable {
        /// Token ids, with those of the answer's text so far at the end: the template was applied
        /// here.
        case tokens([Int32])
        /// Messages, and the answer's text so far: the engine applies its template.
        case messages([Message], answer: String)
    }

    /// The model's name there.
    public var model: String
    /// What the model is given.
    public var prompt: Prompt
    /// Maximum number of tokens to generate.
    public var tokensMax: Int
    /// Texts that end the answer.
    public var stopStrings: [String] = []
    /// Divides the logits; 0 always selects the likeliest token.
    public var temperature = 0.0
    /// Keeps the likeliest tokens with this total probability.
    public var topP = 1.0
    /// Keeps this many of the likeliest tokens; 0 keeps all.
    public var topK = 0
    /// Drops tokens less likely than this share of the likeliest one.
    public var minP = 0.0
    /// Divides the logits of tokens that occurred; 1 changes nothing.
    public var repetitionPenalty = 1.0
    /// Subtracted from the logits of tokens that are in the answer.
    public var presencePenalty = 0.0
    /// Subtracted from the logits of tokens, once for each time that they are in the answer.
    public var frequencyPenalty = 0.0
    /// The seed; nil for the engine's.
    public var seed: UInt64?
    /// Requests of a scope may share cached prompts, where the engine can keep scopes apart.
    public var cacheScope: String?

    /// Creates a greedy request.
    public init(model: String, prompt: Prompt, tokensMax: Int) {
        self.model = model
        self.prompt = prompt
        self.tokensMax = tokensMax
    }

    /// The form of request and reply for an engine.
    public func dialect(for kind: EngineKind) -> EngineDialect {
        switch (prompt, kind) {
        case (.messages, _): .chat
        case (.tokens, .llamaServer): .llama
        case (.tokens, _): .completion
        }
    }

    /// The request's path below the base URL, which ends with `/v1`, or below its parent.
    public static func path(_ dialect: EngineDialect, below base: String) -> String {
        switch dialect {
        case .chat: "\(base)/chat/completions"
        case .completion: "\(base)/completions"
        case .llama: (base.hasSuffix("/v1") ? String(base.dropLast(3)) : base) + "/completion"
        }
    }

    /// The request's body, a JSON object.
    /// - Throws: `.cannotContinue` if the answer has begun and the engine cannot continue it,
    ///   `.cannotPenalize` if there are penalties and it takes none.
    public func body(for kind: EngineKind) throws(EngineFault) -> [UInt8] {
        let dialect = dialect(for: kind)
        let hasPenalties = presencePenalty != 0 || frequencyPenalty != 0
        guard !hasPenalties || kind.takesPenalties else { throw .cannotPenalize }
        var json = JSONWriter()
        json.member("model", model)
        json.member("stream", true)
        switch prompt {
        case .tokens(let tokens): json.member("prompt", tokens)
        case .messages(let messages, let answer): try write(messages, answer, kind, to: &json)
        }
        json.member(dialect == .llama ? "n_predict" : "max_tokens", tokensMax)
        if dialect != .llama {
            json.member("stream_options") { $0.member("include_usage", true) }
        }
        if !stopStrings.isEmpty { json.member("stop", stopStrings) }
        writeSampling(kind, to: &json)
        switch kind {
        // The speed of reading a prompt reveals what others have asked: vLLM keeps salts apart.
        case .vllm: if let cacheScope { json.member("cache_salt", cacheScope) }
        case .llamaServer: json.member("cache_prompt", true)
        default: break
        }
        return json.finish()
    }

    private func write(
        _ messages: [Message],
        _ answer: String,
        _ kind: EngineKind,
        to json: inout JSONWriter
    ) throws(EngineFault) {
        var all = messages
        if !answer.isEmpty {
            guard kind.continuesMessages else { throw .cannotContinue }
            all.append(Message(role: "assistant", content: answer))
        }
        json.member("messages", all) { object, message in
            object.member("role", message.role)
            object.member("content", message.content)
        }
        if !answer.isEmpty, kind == .vllm || kind == .sglang {
            json.member("add_generation_prompt", false)
            json.member("continue_final_message", true)
        }
    }

    private func writeSampling(_ kind: EngineKind, to json: inout JSONWriter) {
        json.member("temperature", temperature)
        json.member("top_p", topP)
        if let seed { json.member("seed", seed) }
        // Beyond OpenAI's API, and sent only where they differ from its defaults: a program that
        // does not know them may refuse them.
        if topK > 0 { json.member("top_k", topK) }
        if minP > 0 { json.member("min_p", minP) }
        if presencePenalty != 0 { json.member("presence_penalty", presencePenalty) }
        if frequencyPenalty != 0 { json.member("frequency_penalty", frequencyPenalty) }
        if repetitionPenalty != 1 {
            let isLlama = kind == .llamaServer
            json.member(isLlama ? "repeat_penalty" : "repetition_penalty", repetitionPenalty)
        }
    }
}
