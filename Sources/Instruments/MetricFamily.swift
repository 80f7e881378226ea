// The data model of Prometheus.

/// All samples of one name.
public struct MetricFamily: Sendable {
    /// The type of a metric.
    public enum Kind: String, Sendable {
        /// A total that only increases until the process restarts.
        case counter
        /// A value that can go up and down.
        case gauge
        /// Counts of values in buckets.
        case histogram
    }

    /// The value of a sample.
    public enum Value: Sendable, Hashable {
        case number(Double)
        case histogram(Histogram)
    }

    /// One value of the family, identified by its labels.
    public struct Sample: Sendable {
        /// The label names and values.
        public let labels: [(String, String)]
        /// The value.
        public let value: Value

        /// Creates a sample.
        public init(_ labels: [(String, String)], _ value: Value) {
            self.labels = labels
            self.value = value
        }

        /// Creates a sample with a number.
        public init(_ labels: [(String, String)], _ number: Int) {
            self.init(labels, .number(Double(number)))
        }
    }

    /// The metric name: letters, digits and `_`.
    public let name: String
    /// The help text, one sentence; may be empty.
    public let help: String
    /// The type of the metric.
    public let kind: Kind
    /// The samples.
    public let samples: [Sample]

    /// Creates a family.
    public init(_ kind: Kind, _ name: String, _ help: String, _ samples: [Sample]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples
    }

    /// A counter without labels.
    public static func counter(_ name: String, _ help: String, _ number: Int) -> MetricFamily {
        MetricFamily(.counter, name, help, [Sample([], number)])
    }

    /// A gauge without labels.
    public static func gauge(_ name: String, _ help: String, _ number: Int) -> MetricFamily {
        MetricFamily(.gauge, name, help, [Sample([], number)])
    }

    /// A histogram without labels.
    public static func histogram(
        _ name: String,
        _ help: String,
        _ histogram: Histogram
    ) -> MetricFamily {
        MetricFamily(.histogram, name, help, [Sample([], .histogram(histogram))])
    }
}
