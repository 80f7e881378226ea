// LongRoPE settings of config.json.

/// LongRoPE: every rotary frequency is divided by a factor of one of two lists, and the rotated
/// parts of queries and keys are multiplied by the set's magnitude.
public struct RopeScaling: Sendable, Equatable {
    /// Factors for sequences within the original context, `rotaryDimensions / 2` of them.
    public var shortFactors: [Double]
    /// Factors for longer sequences; mlx-lm uses them for all.
    public var longFactors: [Double]
    /// The factor for elements rotated with the short factors: sqrt(1 + ln(maximum / original) /
    /// ln(original)) unless the file has a number.
    public var shortMagnitude: Double
    /// The same for the long factors.
    public var longMagnitude: Double
}
