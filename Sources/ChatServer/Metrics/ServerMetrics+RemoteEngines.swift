// Figures of the engines on other machines.

import Instruments
import RemoteEngine

extension ServerMetrics {
    /// The remote engines of a pool; families without samples if it has none.
    static func remoteEngines(_ pool: EnginePool?) -> [MetricFamily] {
        // One that was replaced may still finish answers under the same label.
        let engines = (pool?.remoteStatuses ?? []).filter { $0.status.state != .removed }
        func samples(_ value: (RemoteStatus) -> Int) -> [MetricFamily.Sample] {
            engines.map {
                .init([("engine", $0.status.label), ("model", $0.model)], value($0.status))
            }
        }
        let ends = engines.flatMap { (_, status) -> [MetricFamily.Sample] in
            [
                .init([("engine", status.label), ("outcome", "finished")], status.finished),
                .init([("engine", status.label), ("outcome", "failed")], status.failed),
            ]
        }
        return [
            MetricFamily(
                .engineAvailable,
                samples { $0.isAvailable ? 1 : 0 }
            ),
            MetricFamily(
                .engineRunning,
                samples(\.running)
            ),
            MetricFamily(
                .engineRequests,
                ends
            ),
        ]
    }
}
