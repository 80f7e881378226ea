// Receipts of runs, for understanding and repeating them later: the model, its settings, what it
// read (as a hash), what it wrote, and the times. docs/use/receipts.md explains the JSON format;
// its version is increased with each incompatible change.

public import Checkpoints
public import ConstrainedText
public import PhiModel

/// The receipt of a run.
public struct RunReceipt: Codable, Sendable, Hashable {
    /// The current version of the format.
    public static let currentVersion = 1

    /// The version of this receipt's format.
    public var version: Int
    /// The model.
    public var model: ModelIdentity
    /// The adapter that changed the model; nil for none.
    public var adapter: AdapterIdentity?
    /// The engine.
    public var engine: Engine
    /// The rotary embedding.
    public var rope: Rope
    /// The sampling parameters, with the seed that was used.
    public var sampling: SamplingParameters
    /// The prompt.
    public var prompt: Prompt
    /// The answer.
    public var answer: Answer
    /// The times.
    public var times: Times

    /// Creates a receipt in the current format.
    public init(
        model: ModelIdentity,
        adapter: AdapterIdentity? = nil,
        engine: Engine,
        rope: Rope,
        sampling: SamplingParameters,
        prompt: Prompt,
        answer: Answer,
        times: Times
    ) {
        version = Self.currentVersion
        self.model = model
        self.adapter = adapter
        self.engine = engine
        self.rope = rope
        self.sampling = sampling
        self.prompt = prompt
        self.answer = answer
        self.times = times
    }

    /// The engine of a run.
    public struct Engine: Codable, Sendable, Hashable {
        /// The version of Stoa.
        public var stoa: String
        /// The kernels, such as "avx2-int8": others round differently, which can change a token.
        public var kernels: String

        /// Creates a value.
        public init(stoa: String, kernels: String) {
            self.stoa = stoa
            self.kernels = kernels
        }
    }

    /// The rotary embedding.
    public struct Rope: Codable, Sendable, Hashable {
        /// The rule.
        public var rule: RopeRule
        /// The resulting factor set.
        public var factors: RopeFactors

        /// Creates a value.
        public init(rule: RopeRule, factors: RopeFactors) {
            self.rule = rule
            self.factors = factors
        }
    }

    /// The prompt.
    public struct Prompt: Codable, Sendable, Hashable {
        /// SHA-256 of the ids as little-endian 32-bit numbers, in hexadecimal digits.
        public var hash: String
        /// The number of tokens.
        public var tokens: Int
        /// The number of cached tokens.
        public var cached: Int
        /// The number of computed tokens; fewer than the rest if the run was cancelled.
        public var computed: Int
        /// The ids, if the receipt alone should suffice to repeat the run. A server stores the
        /// messages instead.
        public var ids: [TokenID]?

        /// Creates a prompt with `cached` and `computed` tokens.
        public init(ids: [TokenID], cached: Int, computed: Int, keepsIDs: Bool = false) {
            hash = Self.hash(of: ids)
            tokens = ids.count
            self.cached = cached
            self.computed = computed
            self.ids = keepsIDs ? ids : nil
        }
    }

    /// The answer.
    public struct Answer: Codable, Sendable, Hashable {
        /// The tokens, including the one that ended the turn.
        public var ids: [TokenID]
        /// The finish reason.
        public var finish: FinishReason
        /// The maximum number of tokens, by the request and the context.
        public var tokensMax: Int
        /// The stop strings.
        public var stopStrings: [String]
        /// The form that the answer had to have; nil for none.
        public var constraint: AnswerConstraint?
        /// Maximum number of tokens of the thinking part; nil for no limit, and without such a part.
        public var thinkingTokensMax: Int?
        /// The number of tokens that an earlier run had written; nil if this run wrote all.
        public var givenCount: Int?
        /// How many of the tokens are the text of another answer that this one continues; nil where
        /// it continues none. No run of this answer drew them.
        public var continuedCount: Int?

        /// Creates an answer.
        public init(
            ids: [TokenID],
            finish: FinishReason,
            tokensMax: Int,
            stopStrings: [String] = [],
            constraint: AnswerConstraint? = nil,
            thinkingTokensMax: Int? = nil,
            givenCount: Int? = nil,
            continuedCount: Int? = nil
        ) {
            self.ids = ids
            self.finish = finish
            self.tokensMax = tokensMax
            self.stopStrings = stopStrings
            self.constraint = constraint
            self.thinkingTokensMax = thinkingTokensMax
            self.givenCount = givenCount
            self.continuedCount = continuedCount
        }

        enum CodingKeys: String, CodingKey {
            case ids, finish, constraint
            case tokensMax = "max_tokens"
            case stopStrings = "stop_strings"
            case thinkingTokensMax = "max_thinking_tokens"
            case givenCount = "given_tokens"
            case continuedCount = "continued_tokens"
        }
    }

    /// The times of a run, in milliseconds.
    public struct Times: Codable, Sendable, Hashable {
        /// Time from the request to its slot.
        public var waiting: Double
        /// Time from the slot to the first token: mostly reading the prompt.
        public var prompt: Double?
        /// Time from the first to the last token.
        public var generation: Double?
        /// Tokens after the first per second of `generation`.
        public var tokensPerSecond: Double?

        /// Creates times; nil for stages that were not reached.
        public init(
            waiting: Duration,
            prompt: Duration? = nil,
            generation: Duration? = nil,
            tokensPerSecond: Double? = nil
        ) {
            self.waiting = waiting.roundedMilliseconds
            self.prompt = prompt?.roundedMilliseconds
            self.generation = generation?.roundedMilliseconds
            self.tokensPerSecond = tokensPerSecond.map { ($0 * 100).rounded() / 100 }
        }

        enum CodingKeys: String, CodingKey {
            case waiting = "waiting_ms"
            case prompt = "prompt_ms"
            case generation = "generation_ms"
            case tokensPerSecond = "tokens_per_second"
        }
    }
}

extension Duration {
    /// Milliseconds with three decimal places.
    fileprivate var roundedMilliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
