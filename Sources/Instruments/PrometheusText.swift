// Prometheus' text format, version 0.0.4.

/// Writes metrics in Prometheus' text format.
public enum PrometheusText {
    /// The media type of the text.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Writes families with their samples.
    /// - Parameter families: with distinct names.
    /// - Returns: lines; a histogram has one line for each bound, then its sum and count.
    public static func render(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families {
            if !family.help.isEmpty {
                text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
            }
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples { append(family.name, sample, to: &text) }
        }
        return text
    }

    private static func append(
        _ name: String,
        _ sample: MetricFamily.Sample,
        to text: inout String
    ) {
        switch sample.value {
        case .number(let number):
            text += "\(name)\(labels(sample.labels)) \(digits(number))\n"
        case .histogram(let histogram):
            // Buckets are cumulative in the text format.
            var count = 0
            for (index, bucket) in histogram.counts.enumerated() {
                count += bucket
                let isLast = index == histogram.bounds.count
                let bound = isLast ? "+Inf" : digits(histogram.bounds[index])
                text += "\(name)_bucket\(labels(sample.labels + [("le", bound)])) \(count)\n"
            }
            text += "\(name)_sum\(labels(sample.labels)) \(digits(histogram.sum))\n"
            text += "\(name)_count\(labels(sample.labels)) \(count)\n"
        }
    }

    private static func labels(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { "\($0.0)=\"\(escaped($0.1, quotes: true))\"" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    /// Prints whole numbers without a fraction.
    private static func digits(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.append(character)
            }
        }
        return result
    }
}
