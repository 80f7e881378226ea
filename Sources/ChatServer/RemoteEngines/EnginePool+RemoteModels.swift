// Models that remote engines answer for come and go while others answer.

import EventLoop
import Inference
import Logging
import RemoteEngine

extension EnginePool {
    /// Uses exactly these remote models from now on. One without engines is unloaded: its running
    /// answers finish first, and the default model answers in its conversations.
    /// - Parameters:
    ///   - models: the models and their engines.
    ///   - loop: the loop on which their connections live.
    ///   - workers: threads that resolve host names.
    ///   - logger: logs their faults.
    func use(_ models: RemoteModels, loop: EventLoop, workers: WorkerPool, logger: Logger) {
        retire(remoteModelsBut: models.names)
        for entry in models.entries {
            if let engine = remoteEngine(of: entry.model.name) {
                engine.use(entry.addresses)
            } else {
                add(entry, loop: loop, workers: workers, logger: logger)
            }
        }
        settle()
    }

    /// Lets other engines go on at once with the running answers of removed ones.
    func leaveRemovedEngines() {
        for model in Set(remoteStatuses.map(\.model)) { remoteEngine(of: model)?.leaveRemoved() }
    }

    private func add(
        _ entry: RemoteModels.Entry,
        loop: EventLoop,
        workers: WorkerPool,
        logger: Logger
    ) {
        addRemote(entry.model.name) { contextChanged, sink in
            let engine = RemoteEngine(
                entry.model,
                at: entry.addresses,
                loop: loop,
                workers: workers,
                logger: logger,
                contextChanged: contextChanged,
                sink: sink
            )
            return ModelEngine(
                remote: entry.model.name,
                encoding: entry.encoding,
                encode: entry.model.encode ?? { EstimatedEncoding.tokens(of: $0) },
                encodeCalls: entry.encodeCalls,
                knowsTools: entry.knowsTools,
                vocabulary: entry.vocabulary,
                contextLength: engine.capacity.contextLength,
                engine: engine
            )
        }
    }
}
