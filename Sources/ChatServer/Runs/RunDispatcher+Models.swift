// Which models runs need: those that are not in memory are loaded for them, and those that are not
// needed make room.

import ChatCore
import ChatStore
import EventLoop

extension RunDispatcher {
    /// How long a model stays wanted after a request has asked for it: then its run is queued.
    private static let requestSpan = Duration.seconds(10)

    /// Ends the engines of models that are being unloaded and that no run uses any more.
    func finishUnloading() { pool?.endUnloaded(unless: runs.uses) }

    /// Loads a model in standby for a request that is not queued yet.
    func request(_ model: String) {
        requestedModels[model] = loop.now + Self.requestSpan
        provideModels()
    }

    /// Loads models in standby that queued runs wait for, as far as the memory limit allows.
    func provideModels() {
        guard let pool, let memory = pool.memory, !isDraining,
            pool.hasStandby || memory.models.takenBytes > memory.models.limitBytes
        else { return }
        requestedModels = requestedModels.filter { $0.value > loop.now }
        let waiting = Set(queue.mirror.queue.waiting.values.map(\.model))
        let awaited = Set(waiting.compactMap { pool.board.answering(for: $0) })
            .union(requestedModels.keys)
        pool.makeReady(awaited, used: awaited.union(runningModels(in: pool)))
        finishUnloading()
    }

    /// The models of this node's runs that have a slot.
    private func runningModels(in pool: EnginePool) -> Set<String> {
        let names = runs.all.compactMap { run -> String? in
            guard run.state.occupiesSlot else { return nil }
            let claimed = queue.mirror.queue.running[run.claim.message]?.model
            return run.model ?? claimed.flatMap { pool.board.answering(for: $0) }
        }
        return Set(names)
    }
}
