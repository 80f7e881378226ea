// Sampling parameters, validated on creation.
//
// Names and meanings are those of the APIs of OpenAI and Hugging Face. Sampler.swift implements
// them.

/// Sampling parameters. The defaults are greedy, as in the model cards of the Phi family.
public struct SamplingParameters: Sendable, Hashable {
    /// Divides the logits before the softmax; 0 always selects the likeliest token.
    public let temperature: Double
    /// Keeps the likeliest tokens with this total probability; 1 keeps all.
    public let topP: Double
    /// Keeps this many of the likeliest tokens; 0 keeps all.
    public let topK: Int
    /// Drops tokens less likely than this share of the likeliest one; 0 drops none.
    public let minP: Double
    /// Divides positive and multiplies negative logits of recent tokens; 1 changes nothing.
    public let repetitionPenalty: Double
    /// The number of latest tokens, of prompt and answer, for the penalty.
    public let repetitionWindow: Int
    /// The same seed gives the same answer to the same prompt; nil for a random seed.
    public let seed: UInt64?

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
        seed: UInt64? = nil
    ) throws(SamplingError) {
        try SamplingLimits.temperature.check(temperature)
        try SamplingLimits.topP.check(topP)
        try SamplingLimits.topK.check(Double(topK))
        try SamplingLimits.minP.check(minP)
        try SamplingLimits.repetitionPenalty.check(repetitionPenalty)
        try SamplingLimits.repetitionWindow.check(Double(repetitionWindow))
        self.init(
            checkedTemperature: temperature,
            topP: topP,
            topK: topK,
            minP: minP,
            repetitionPenalty: repetitionPenalty,
            repetitionWindow: repetitionWindow,
            seed: seed
        )
    }

    private init(
        checkedTemperature: Double,
        topP: Double,
        topK: Int,
        minP: Double,
        repetitionPenalty: Double,
        repetitionWindow: Int,
        seed: UInt64?
    ) {
        self.temperature = checkedTemperature
        self.topP = topP
        self.topK = topK
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.repetitionWindow = repetitionWindow
        self.seed = seed
    }

    /// Whether sampling is greedy, so that no random number is used.
    var takesLikeliest: Bool { temperature == 0 || topK == 1 }

    /// These parameters with the seed for a run: the given one, or a random one of 53 bits, which
    /// every JSON parser reads exactly. Greedy sampling gets no seed.
    func drawingSeed() -> SamplingParameters {
        guard seed == nil, !takesLikeliest else { return self }
        return SamplingParameters(
            checkedTemperature: temperature,
            topP: topP,
            topK: topK,
            minP: minP,
            repetitionPenalty: repetitionPenalty,
            repetitionWindow: repetitionWindow,
            seed: UInt64.random(in: 0..<1 << 53)
        )
    }

    /// The likeliest token at each step.
    public static let greedy = SamplingParameters(
        checkedTemperature: 0,
        topP: 1,
        topK: 0,
        minP: 0,
        repetitionPenalty: 1,
        repetitionWindow: 64,
        seed: nil
    )
}
