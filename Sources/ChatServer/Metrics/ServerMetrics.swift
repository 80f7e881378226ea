// All figures of a server, put together when somebody asks. Nothing is computed before that.

import Instruments

/// Where the parts of a server leave their figures, or how to read them.
final class ServerMetrics {
    /// What is counted through swift-metrics.
    let registry = PrometheusRegistry()
    let requests: RequestMetrics
    let sockets = SocketFigures()
    /// HTTP connections that were cut off as more would have waited for their readers than may.
    var overflowCountOfHTTP = 0
    /// How many bytes waited for clients when figures were refreshed.
    var unsentByteCount = 0
    /// Fetches what is counted on other loops, and what is counted only when somebody asks.
    var refresh: () async -> Void = {}
    private var collectors: [() -> [MetricFamily]] = []

    init() { requests = RequestMetrics(registry) }

    /// Has `collector` asked whenever figures are read.
    func collect(_ collector: @escaping () -> [MetricFamily]) { collectors.append(collector) }

    /// All figures, for Prometheus.
    func text() async -> String {
        await refresh()
        return PrometheusText.render(collectors.flatMap { $0() } + registry.families)
    }
}
