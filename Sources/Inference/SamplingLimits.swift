// The bounds of sampling parameters.

/// The range of one sampling parameter; the one place where these numbers stand.
public struct SamplingLimits: Sendable {
    /// The parameter's name on the wire and in settings.
    public let name: String
    /// The values that are taken.
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

    /// Lets `value` pass if it is in the range; not-a-number is in none.
    func check(_ value: Double) throws(SamplingError) {
        guard range.contains(value) else {
            throw .outOfRange(name: name, value: value, allowed: range)
        }
    }
}
