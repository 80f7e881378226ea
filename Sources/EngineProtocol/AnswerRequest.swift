// Requests for one answer, for any kind of engine.

public import ConstrainedText
import JSONText

/// A request for an answer.
public struct AnswerRequest: Sendable, Hashable {
    /// One message.
    public struct Message: Sendable, Hashable, Encodable {
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

    /// What is added to the logit of a token.
    public struct TokenBias: Sendable, Hashable {
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

    /// What the model is given.
    public enum Prompt: Sendable, Hashable {
        /// Token ids, with those of the answer's text so far at the end: the template was applied
        /// here.
        case tokens([Int32])
        /// Messages, and the answer's text so far: the engine applies its template. Without messages
        /// it is a prompt that only engines that take token ids can have.
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
    /// Added to the logits of tokens.
    public var logitBias: [TokenBias] = []
    /// The seed; nil for the engine's.
    public var seed: UInt64?
    /// The form that the answer must have; nil for any text.
    public var constraint: AnswerConstraint?
    /// Maximum number of tokens of the thinking part; nil for the engine's.
    public var thinkingTokensMax: Int?
    /// Whether the answer has begun, which no engine can continue in a form.
    public var hasBegun = false
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
    ///   `.cannotTakeTokens` if there are no messages,
    ///   `.cannotAdjustLogits` if there are penalties or biases and it takes none,
    ///   `.cannotLimitThinking` if the thinking part has a limit and it takes none,
    ///   `.cannotHoldForm` if the engine cannot give it its form.
    public func body(for kind: EngineKind) throws(EngineFault) -> [UInt8] {
        let body = try AnswerBody(self, for: kind)
        // Neither texts nor finite numbers can fail to encode.
        do { return try JSONTextEncoder.encode(body) } catch {
            throw .malformed("the request cannot be encoded: \(error)")
        }
    }
}
