// Why sampling parameters are refused.

/// A sampling parameter that cannot be used.
public enum SamplingError: Error, Hashable, CustomStringConvertible {
    /// `value` is not in `allowed`.
    case outOfRange(name: String, value: Double, allowed: ClosedRange<Double>)

    /// One sentence that names the parameter and what it may be.
    public var description: String {
        switch self {
        case .outOfRange(let name, let value, let allowed):
            "\(name) is \(value), but must be from \(allowed.lowerBound) to \(allowed.upperBound)"
        }
    }
}
