import ChatServer
import CoreMetrics
import Instruments
import Testing

@Suite("The registry behind swift-metrics")
struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    @Test("counters with the same name and labels are one metric")
    func counters() {
        for _ in 0..<3 {
            Counter(label: "hits", dimensions: [("path", "/a")], factory: registry).increment()
        }
        Counter(label: "hits", dimensions: [("path", "/b")], factory: registry).increment(by: 5)
        #expect(
            PrometheusText.render(registry.families) == """
                # TYPE hits counter
                hits{path="/a"} 3
                hits{path="/b"} 5

                """
        )
    }

    @Test("gauges keep the last value, timers are in seconds, and names are valid for Prometheus")
    func others() {
        let gauge = Gauge(label: "pool.used-now", factory: registry)
        gauge.record(3)
        gauge.record(2)
        Timer(label: "wait_seconds", factory: registry).recordMilliseconds(500)
        let text = PrometheusText.render(registry.families)
        #expect(text.contains("# TYPE pool_used_now gauge\npool_used_now 2\n"))
        #expect(text.contains(#"wait_seconds_bucket{le="0.25"} 0"#))
        #expect(text.contains(#"wait_seconds_bucket{le="0.5"} 1"#))
        #expect(text.contains("wait_seconds_sum 0.5\n"))
    }

    @Test("no increment is lost between threads, and destroyed metrics are not listed")
    func threads() async {
        let counter = Counter(label: "hits", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { counter.increment() } }
            }
        }
        #expect(PrometheusText.render(registry.families).contains("hits 4000\n"))
        counter.destroy()
        #expect(registry.families.isEmpty)
    }
}
