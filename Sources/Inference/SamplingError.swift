// Errors of sampling parameters.

/// An invalid sampling parameter.
public enum SamplingError: Error, Hashable, CustomStringConvertible {
    /// `value` is not in `allowed`.
    case outOfRange(name: String, value: Double, allowed: ClosedRange<Double>)

    /// One sentence with the parameter and its range.
    public var description: String {
        switch self {
        case .outOfRange(let name, let value, let allowed):
            "\(name) is \(value), but must be from \(allowed.lowerBound) to \(allowed.upperBound)"
        }
    }
}
