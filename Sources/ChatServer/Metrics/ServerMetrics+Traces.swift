// Figures of the traces.

import Instruments

extension ServerMetrics {
    /// Collects the figures of traces; zeros if the settings want none.
    func collect(_ exporter: TraceExporter?) {
        collect { [weak exporter] in
            [
                MetricFamily(
                    .traceSpans,
                    [
                        .init([("outcome", "sent")], exporter?.sentCount ?? 0),
                        .init([("outcome", "failed")], exporter?.failedCount ?? 0),
                        .init([("outcome", "dropped")], exporter?.droppedCount ?? 0),
                    ]
                )
            ]
        }
    }
}
