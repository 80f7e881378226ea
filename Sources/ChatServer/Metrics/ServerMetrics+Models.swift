// Figures of the models that run here.

import Inference
import Instruments

extension ServerMetrics {
    /// The models of a pool, their memory, and their time on the compute threads; families without
    /// samples if it has none.
    static func models(_ pool: EnginePool?) -> [MetricFamily] {
        let memory = pool?.memory?.models
        let taken = (memory?.taken ?? []).sorted { $0.name < $1.name }
        let loads = (memory?.loadCounts ?? [:]).sorted { $0.key < $1.key }
        let times = (pool?.computeTimes ?? []).map { name, time in
            MetricFamily.Sample([("model", name)], .number(time / .seconds(1)))
        }
        return [
            MetricFamily(.modelMemory, taken.map { .init([("model", $0.name)], $0.byteCount) }),
            MetricFamily(.modelMemoryLimit, memory.map { [.init([], $0.limitBytes)] } ?? []),
            MetricFamily(.modelLoads, loads.map { .init([("model", $0.key)], $0.value) }),
            MetricFamily(.computeThreads, pool?.threads.map { [.init([], $0.count)] } ?? []),
            MetricFamily(.computeTime, times),
        ]
    }
}
