// The table of metrics in docs/reference/metrics.md.

import ChatServer
import Instruments

enum MetricTable {
    /// The rows of the table, in the order of the definitions.
    static var rows: [String] { MetricDefinition.all.map(row) }

    private static func row(_ metric: MetricDefinition) -> String {
        let labels = metric.labels.map { "`\($0.name)`: \($0.meaning)" }.joined(separator: "<br>")
        let cells = [
            "`\(metric.name)`", metric.kind.rawValue, metric.unit, labels, metric.meaning,
        ]
        return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }
}
