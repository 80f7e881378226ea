// Sampling parameters, validated on creation.
//
// Names and meanings are those of the APIs of OpenAI and Hugging Face. Sampler.swift implements
// them.

public import Checkpoints

/// What is added to the logit of a token.
public struct TokenBias: Sendable, Hashable, Codable {
    /// The token.
    public var token: TokenID
    /// -100 to 100.
    public var bias: Double

    /// Creates a bias.
    public init(token: TokenID, bias: Double) {
        self.token = token
        self.bias = bias
    }
}

/// Sampling parameters. The defaults are greedy, as in the model cards of the Phi family.
public struct SamplingParameters: Sendable, Hashable {
    /// Divides the logits before the softmax; 0 always selects the likeliest token.
    public private(set) var temperature = 0.0
    /// Keeps the likeliest tokens with this total probability; 1 keeps all.
    public private(set) var topP = 1.0
    /// Keeps this many of the likeliest tokens; 0 keeps all.
    public private(set) var topK = 0
    /// Drops tokens less likely than this share of the likeliest one; 0 drops none.
    public private(set) var minP = 0.0
    /// Divides positive and multiplies negative logits of recent tokens; 1 changes nothing.
    public private(set) var repetitionPenalty = 1.0
    /// The number of latest tokens, of prompt and answer, for the repetition penalty.
    public private(set) var repetitionWindow = 64
    /// Subtracted from the logits of tokens that are in the answer; 0 changes nothing.
    public private(set) var presencePenalty = 0.0
    /// Subtracted from the logits of tokens, once for each time that they are in the answer; 0
    /// changes nothing.
    public private(set) var frequencyPenalty = 0.0
    /// Added to the logits of tokens.
    public private(set) var logitBias: [TokenBias] = []
    /// The same seed gives the same answer to the same prompt; nil for a random seed.
    public private(set) var seed: UInt64?

    /// Checks the ranges.
    /// - Throws: `SamplingError.outOfRange` for the first value outside its range; NaN is outside
    ///   every range.
    public init(
        temperature: Double = 0,
        topP: Double = 1,
        topK: Int = 0,
        minP: Double = 0,
        repetitionPenalty: Double = 1,
        repetitionWindow: Int = 64,
        presencePenalty: Double = 0,
        frequencyPenalty: Double = 0,
        logitBias: [TokenBias] = [],
        seed: UInt64? = nil
    ) throws(SamplingError) {
        try SamplingLimits.temperature.check(temperature)
        try SamplingLimits.topP.check(topP)
        try SamplingLimits.topK.check(Double(topK))
        try SamplingLimits.minP.check(minP)
        try SamplingLimits.repetitionPenalty.check(repetitionPenalty)
        try SamplingLimits.repetitionWindow.check(Double(repetitionWindow))
        try SamplingLimits.presencePenalty.check(presencePenalty)
        try SamplingLimits.frequencyPenalty.check(frequencyPenalty)
        for entry in logitBias { try SamplingLimits.logitBias.check(entry.bias) }
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.repetitionWindow = repetitionWindow
        self.presencePenalty = presencePenalty
        self.frequencyPenalty = frequencyPenalty
        self.logitBias = logitBias
        self.seed = seed
    }

    private init(defaults: Void) {}

    /// Whether sampling is greedy, so that no random number is used.
    var takesLikeliest: Bool { temperature == 0 || topK == 1 }

    /// These parameters with the seed for a run: the given one, or a random one of 53 bits, which
    /// every JSON parser reads exactly. Greedy sampling gets no seed.
    func drawingSeed() -> SamplingParameters {
        guard seed == nil, !takesLikeliest else { return self }
        var copy = self
        copy.seed = UInt64.random(in: 0..<1 << 53)
        return copy
    }

    /// The likeliest token at each step.
    public static let greedy = SamplingParameters(defaults: ())
}
