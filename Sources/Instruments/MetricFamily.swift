// What is shown of a figure: Prometheus' data model.

/// All samples of one name.
public struct MetricFamily: Sendable {
    /// What may happen to a figure from one look to the next.
    public enum Kind: String, Sendable {
        /// It only grows, until the process ends.
        case counter
        /// It goes up and down.
        case gauge
        /// Values were counted by their size.
        case histogram
    }

    /// A figure.
    public enum Value: Sendable, Hashable {
        case number(Double)
        case histogram(Histogram)
    }

    /// One figure of the family, told from the others by its labels.
    public struct Sample: Sendable {
        /// Names and values.
        public let labels: [(String, String)]
        /// The figure.
        public let value: Value

        /// Puts a sample together.
        public init(_ labels: [(String, String)], _ value: Value) {
            self.labels = labels
            self.value = value
        }

        /// A number as a sample.
        public init(_ labels: [(String, String)], _ number: Int) {
            self.init(labels, .number(Double(number)))
        }
    }

    /// The name, of letters, digits and `_`.
    public let name: String
    /// What it means, in one sentence; may be empty.
    public let help: String
    /// What may happen to its samples.
    public let kind: Kind
    /// The figures.
    public let samples: [Sample]

    /// Puts a family together.
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
