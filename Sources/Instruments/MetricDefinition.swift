// What a metric is. Collectors, Prometheus' help texts and docs/reference/metrics.md all come from it.

/// A metric's name, type, labels and meaning.
public struct MetricDefinition: Sendable {
    /// A label of its samples.
    public struct Label: Sendable {
        /// The name.
        public let name: String
        /// What its values say, in words.
        public let meaning: String

        /// Creates a label.
        public init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// The type.
    public let kind: MetricFamily.Kind
    /// The name: letters, digits and `_`.
    public let name: String
    /// What is measured or counted, such as `seconds` or `requests`; empty for a flag.
    public let unit: String
    /// The labels; empty for a single sample.
    public let labels: [Label]
    /// What it says, without a full stop.
    public let meaning: String

    /// Creates a definition.
    public init(
        _ kind: MetricFamily.Kind,
        _ name: String,
        unit: String,
        _ labels: Label...,
        meaning: String
    ) {
        self.kind = kind
        self.name = name
        self.unit = unit
        self.labels = labels
        self.meaning = meaning
    }
}

extension MetricFamily {
    /// The samples of a defined metric.
    public init(_ metric: MetricDefinition, _ samples: [Sample]) {
        self.init(metric.kind, metric.name, metric.meaning, samples)
    }

    /// The only sample of a metric without labels.
    public init(_ metric: MetricDefinition, _ number: Int) {
        self.init(metric, [Sample([], number)])
    }

    /// The only sample of a histogram without labels.
    public init(_ metric: MetricDefinition, _ histogram: Histogram) {
        self.init(metric, [Sample([], .histogram(histogram))])
    }
}
