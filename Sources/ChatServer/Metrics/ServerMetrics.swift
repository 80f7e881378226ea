// All figures of a server, put together when somebody asks. Nothing is computed before that.

import Instruments

/// Where the parts of a server leave their figures, or how to read them.
final class ServerMetrics {
    /// What is counted through swift-metrics.
    let registry = PrometheusRegistry()
    let requests: RequestMetrics
    let sockets = SocketFigures()
    private var collectors: [() -> [MetricFamily]] = []

    init() { requests = RequestMetrics(registry) }

    /// Has `collector` asked whenever figures are read.
    func collect(_ collector: @escaping () -> [MetricFamily]) { collectors.append(collector) }

    /// All figures, for Prometheus.
    var text: String {
        PrometheusText.render(collectors.flatMap { $0() } + registry.families)
    }
}
