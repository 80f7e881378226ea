// What is kept about a run, so that it can be understood later and repeated: which model, how it was
// set up, what it read (as a hash), what it wrote, and what that took. docs/use/receipts.md explains the
// JSON form; the version goes up with each change of it that old readers would misread.

public import Checkpoints
public import PhiModel

/// The record of one run of an engine.
public struct RunReceipt: Codable, Sendable, Hashable {
    /// The version of this form.
    public static let currentVersion = 1

    /// The version of the form that this was written in.
    public var version: Int
    /// Which model answered.
    public var model: ModelIdentity
    /// What computed.
    public var engine: Engine
    /// How positions were rotated.
    public var rope: Rope
    /// How tokens were drawn; the seed is the one that was used, given or drawn.
    public var sampling: SamplingParameters
    /// What the model read.
    public var prompt: Prompt
    /// What it wrote.
    public var answer: Answer
    /// How long it took.
    public var times: Times

    /// A receipt in the current form.
    public init(
        model: ModelIdentity,
        engine: Engine,
        rope: Rope,
        sampling: SamplingParameters,
        prompt: Prompt,
        answer: Answer,
        times: Times
    ) {
        version = Self.currentVersion
        self.model = model
        self.engine = engine
        self.rope = rope
        self.sampling = sampling
        self.prompt = prompt
        self.answer = answer
        self.times = times
    }

    /// What computed a run.
    public struct Engine: Codable, Sendable, Hashable {
        /// The version of Stoa.
        public var stoa: String
        /// The arithmetic, such as "avx2-int8": another one rounds otherwise, which can change a
        /// token.
        public var kernels: String

        /// The engine of one version with one set of kernels.
        public init(stoa: String, kernels: String) {
            self.stoa = stoa
            self.kernels = kernels
        }
    }

    /// How positions were rotated.
    public struct Rope: Codable, Sendable, Hashable {
        /// The rule that was in force.
        public var rule: RopeRule
        /// The factor set that it led to.
        public var factors: RopeFactors

        /// A rule, and what it led to.
        public init(rule: RopeRule, factors: RopeFactors) {
            self.rule = rule
            self.factors = factors
        }
    }

    /// What the model read.
    public struct Prompt: Codable, Sendable, Hashable {
        /// SHA-256 of the ids as little-endian 32-bit numbers, in hexadecimal digits.
        public var hash: String
        /// How many tokens.
        public var tokens: Int
        /// How many of them were in a cache already.
        public var cached: Int
        /// How many of them were computed; fewer than the rest where the run was cut off.
        public var computed: Int
        /// The ids themselves, where the receipt shall be enough to repeat the run. A server keeps
        /// the messages instead.
        public var ids: [TokenID]?

        /// A prompt of which `computed` tokens were read and `cached` need not be.
        public init(ids: [TokenID], cached: Int, computed: Int, keepsIDs: Bool = false) {
            hash = Self.hash(of: ids)
            tokens = ids.count
            self.cached = cached
            self.computed = computed
            self.ids = keepsIDs ? ids : nil
        }
    }

    /// What the model wrote.
    public struct Answer: Codable, Sendable, Hashable {
        /// The tokens, with the one that ended the turn.
        public var ids: [TokenID]
        /// Why it ended.
        public var finish: FinishReason
        /// How many tokens it could have had at most, by the request and the context.
        public var tokensMax: Int
        /// Texts before which it would have ended.
        public var stopStrings: [String]
        /// How many of the tokens an earlier run had written; nil where this run wrote all.
        public var givenCount: Int?

        /// An answer.
        public init(
            ids: [TokenID],
            finish: FinishReason,
            tokensMax: Int,
            stopStrings: [String] = [],
            givenCount: Int? = nil
        ) {
            self.ids = ids
            self.finish = finish
            self.tokensMax = tokensMax
            self.stopStrings = stopStrings
            self.givenCount = givenCount
        }

        enum CodingKeys: String, CodingKey {
            case ids, finish
            case tokensMax = "max_tokens"
            case stopStrings = "stop_strings"
            case givenCount = "given_tokens"
        }
    }

    /// How long a run took, in milliseconds.
    public struct Times: Codable, Sendable, Hashable {
        /// From the request to its slot.
        public var waiting: Double
        /// From the slot to the first token: mostly the reading of the prompt.
        public var prompt: Double?
        /// From the first to the last token.
        public var generation: Double?
        /// Tokens after the first, by `generation`.
        public var tokensPerSecond: Double?

        /// The times of a run; those that it never reached are nil.
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
