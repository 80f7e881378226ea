// The ranges of sampling parameters.

/// The range of a sampling parameter; these numbers are defined only here.
public struct SamplingLimits: Sendable {
    /// The parameter's name on the wire and in settings.
    public let name: String
    /// The allowed values.
    public let range: ClosedRange<Double>

    /// `temperature`
    public static let temperature = SamplingLimits(name: "temperature", range: 0...2)
    /// `top_p`
    public static let topP = SamplingLimits(name: "top_p", range: 0...1)
    /// `top_k`
    public static let topK = SamplingLimits(name: "top_k", range: 0...1_000_000)
    /// `min_p`
    public static let minP = SamplingLimits(name: "min_p", range: 0...1)
    /// `repetition_penalty`
    public static let repetitionPenalty = SamplingLimits(name: "repetition_penalty", range: 0.5...2)
    /// `repetition_window`
    public static let repetitionWindow = SamplingLimits(name: "repetition_window", range: 0...4096)
    /// `presence_penalty`
    public static let presencePenalty = SamplingLimits(name: "presence_penalty", range: -2...2)
    /// `frequency_penalty`
    public static let frequencyPenalty = SamplingLimits(name: "frequency_penalty", range: -2...2)
    /// A value of `logit_bias`
    public static let logitBias = SamplingLimits(name: "logit_bias", range: -100...100)

    /// Checks that `value` is in the range; NaN never is.
    func check(_ value: Double) throws(SamplingError) {
        guard range.contains(value) else {
            throw .outOfRange(name: name, value: value, allowed: range)
        }
    }
}
