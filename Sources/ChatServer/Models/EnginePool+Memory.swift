// Loading and unloading by use, under the memory limit of all models: `ModelMemory` decides, the
// pool carries it out.

import EventLoop
package import Inference

extension EnginePool {
    /// The memory of the models, and how to measure what one takes.
    package struct Memory {
        /// Reads what a model takes, on the calling thread.
        package typealias Measure = @Sendable (String) throws -> ModelFootprint

        /// What is in memory.
        package var models: ModelMemory
        let measure: Measure
        /// Models that were measured, and wait until others are: they share the memory.
        var measured: Set<String> = []
        /// Since when runs wait for models that are not in memory.
        var awaitedSince: [String: ContinuousClock.Instant] = [:]

        /// - Parameters:
        ///   - models: the limit.
        ///   - measure: reads what a model takes, on a separate thread.
        package init(_ models: ModelMemory, measure: @escaping Measure) {
            self.models = models
            self.measure = measure
        }
    }

    /// How long the engines of models here have had the compute threads.
    var computeTimes: [(name: String, time: Duration)] {
        engines.values.sorted { $0.name < $1.name }.compactMap { model in
            (model.engine as? Engine).map { (model.name, $0.computeTime) }
        }
    }

    /// Whether a model is in standby, or on its way there.
    var hasStandby: Bool { board.names.contains { board.standbyLength(of: $0) != nil } }

    /// Adds a loaded model that is measured now, if there is room for it.
    /// - Throws: if it cannot be measured, or its engine cannot start.
    func addMeasured(_ model: LoadedModel, as name: String) throws {
        if let memory, let folder = folders[name] {
            let footprint = try memory.measure(folder)
            self.memory?.models.measured(name, footprint)
            guard footprint.byteCountMin <= memory.models.limitBytes else {
                return refuse(name, footprint)
            }
            self.memory?.models.take(name, beside: wanted, at: loop.now)
        }
        try add(model, as: name)
    }

    /// Notes what a model takes.
    func note(_ name: String, _ footprint: ModelFootprint) {
        memory?.models.measured(name, footprint)
        memory?.measured.insert(name)
    }

    /// Loads measured models for which there is room, the default first, once all are measured.
    func placeMeasured() {
        guard let measured = memory?.measured, !measured.isEmpty, !loader.isMeasuring else {
            return
        }
        memory?.measured = []
        let names = board.names.filter(measured.contains)
        for name in names where name == board.defaultName { place(name) }
        for name in names where name != board.defaultName { place(name) }
    }

    private func place(_ name: String) {
        guard board.isWanted(name) else { return update(name, to: .unloaded) }
        guard let models = memory?.models, let footprint = models.footprint(of: name) else {
            return
        }
        switch models.placement(of: name, used: [], waited: nil, at: loop.now) {
        case .fits: start(name)
        case .exceedsLimit: refuse(name, footprint)
        case .needs, .waits:
            update(name, to: .standby(contextLength: footprint.contextLength))
        }
    }

    /// The models that may be in memory.
    private var wanted: Set<String> { Set(board.names.filter(board.isWanted)) }

    /// Loads models that runs wait for as far as the limit allows, in the order in which the first
    /// of their runs began to wait, and lets others leave for them.
    /// - Parameters:
    ///   - awaited: the models of queued runs.
    ///   - used: the models that answer, or for which runs are queued.
    func makeReady(_ awaited: Set<String>, used: Set<String>) {
        guard var memory else { return }
        let now = loop.now
        for name in used { memory.models.use(name) }
        let standing = awaited.filter { board.standbyLength(of: $0) != nil }
        memory.awaitedSince = memory.awaitedSince.filter { standing.contains($0.key) }
        for name in standing where memory.awaitedSince[name] == nil {
            memory.awaitedSince[name] = now
        }
        self.memory = memory
        for name in memory.models.excess(used: used) { leave(name) }
        let order = memory.awaitedSince.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        for (name, since) in order {
            // It is on its way to standby itself: its run has to wait for that.
            guard case .standby? = board[name] else { return }
            let placement = self.memory?.models.placement(
                of: name,
                used: used,
                waited: now - since,
                at: now
            )
            switch placement ?? .waits {
            case .fits: start(name)
            case .exceedsLimit:
                if let footprint = memory.models.footprint(of: name) { refuse(name, footprint) }
            // Those behind it wait, so that they do not take what leaves for it.
            case .needs(let others): return others.forEach(leave)
            case .waits: return
            }
        }
    }

    /// Reads a model whose memory is there.
    private func start(_ name: String) {
        guard let folder = folders[name] else { return }
        memory?.models.take(name, beside: wanted, at: loop.now)
        update(name, to: .loading(0))
        loader.add(name, .read(folder: folder))
    }

    private func refuse(_ name: String, _ footprint: ModelFootprint) {
        let limit = memory?.models.limitBytes ?? 0
        let reason = ModelFailure.exceedsMemory(footprint.byteCountMin, limit: limit)
        update(name, to: .failed(reason: reason))
    }

    /// Lets a model finish its answers, and then leave.
    private func leave(_ name: String) {
        guard case .ready(let contextLength)? = board[name] else { return }
        memory?.models.setLeaving(name, true)
        update(name, to: .leaving(contextLength: contextLength))
    }
}
