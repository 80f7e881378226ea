// Histograms for Prometheus. A histogram has one owner on one thread, so recording a value takes no
// lock and allocates nothing.

/// Counts of values by fixed upper bounds, as in Prometheus.
public struct Histogram: Sendable, Hashable {
    /// The upper bounds of all buckets but the last, ascending and inclusive.
    public let bounds: [Double]
    /// The number of values in each bucket: one bucket more than there are bounds.
    public private(set) var counts: [Int]
    /// The sum of all values.
    public private(set) var sum = 0.0

    /// An empty histogram.
    /// - Parameter bounds: ascending.
    public init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    /// An empty histogram of durations in seconds, from a tenth of a millisecond to ten seconds.
    public static var ofSeconds: Histogram { Histogram(bounds: secondsBounds) }

    private static let secondsBounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10,
    ]

    /// The number of values.
    public var count: Int { counts.reduce(0, +) }

    /// Counts a value.
    public mutating func record(_ value: Double) {
        // Searches from the lowest bound, since most measured values are small.
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts[bucket] += 1
        sum += value
    }

    /// Adds the counts of another histogram with the same bounds.
    public mutating func add(_ other: Histogram) {
        precondition(bounds == other.bounds, "histograms of different bounds do not add up")
        for (index, count) in other.counts.enumerated() { counts[index] += count }
        sum += other.sum
    }

    /// Counts a duration, in seconds.
    public mutating func record(_ duration: Duration) { record(duration / .seconds(1)) }
}
