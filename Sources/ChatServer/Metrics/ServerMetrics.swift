// All metrics of a server, collected when they are scraped. Nothing is computed before that.

import Instruments

/// Holds figures of a server's parts, or functions that collect them.
final class ServerMetrics {
    /// Metrics counted through swift-metrics.
    let registry = PrometheusRegistry()
    let requests: RequestMetrics
    let sockets = SocketFigures()
    /// HTTP connections closed because of the memory limit for all buffers.
    var overflowCountOfHTTP = 0
    /// Unsent bytes of all clients at the last refresh.
    var unsentByteCount = 0
    /// Fetches figures from other loops, and those that are computed only on a scrape.
    var refresh: () async -> Void = {}
    private var collectors: [() -> [MetricFamily]] = []

    init() { requests = RequestMetrics(registry) }

    /// Adds a collector, which is called on each scrape.
    func collect(_ collector: @escaping () -> [MetricFamily]) { collectors.append(collector) }

    /// All metrics in Prometheus' text format.
    func text() async -> String {
        await refresh()
        return PrometheusText.render(collectors.flatMap { $0() } + registry.families.map(described))
    }

    /// A family of swift-metrics with the meaning that its API cannot say.
    private func described(_ family: MetricFamily) -> MetricFamily {
        let meaning = MetricDefinition.all.first { $0.name == family.name }?.meaning ?? ""
        return MetricFamily(family.kind, family.name, meaning, family.samples)
    }
}
