// Medians and percentiles of measured values.

/// Measured values.
struct Sample: Sendable {
    private var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    /// The value below which the fraction `share` lies; 0 without values.
    func percentile(_ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var median: Double { percentile(0.5) }

    /// The mean; 0 without values.
    var mean: Double { values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count) }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

/// Prints one figure.
func report(_ name: String, _ value: Double) {
    print(name, (value * 100).rounded() / 100)
}
