// Loading and unloading by use, under the memory limit of all models: `ModelMemory` decides, the
// pool carries it out.

import EventLoop
package import Inference

extension EnginePool {
    /// The memory of the models, and how to measure what one takes.
    package struct Memory {
        /// Reads what a model takes without adapters, on the calling thread.
        package typealias Measure = @Sendable (String) throws -> ModelFootprint

        /// What is in memory.
        package var models: ModelMemory
        let measure: Measure
        /// Weights that were measured, and wait until others are: they share the memory.
        var measured: Set<String> = []
        /// Since when runs wait for weights that are not in memory.
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
        shared.sorted { $0.key < $1.key }.compactMap { base, shared in
            (shared.engine as? Engine).map { (base, $0.computeTime) }
        }
    }

    /// Whether a model is in standby, or on its way there.
    var hasStandby: Bool { board.names.contains { board.standbyLength(of: $0) != nil } }

    /// Adds a loaded model that is measured now, if there is room for it.
    /// - Throws: if it cannot be measured, or its engine cannot start.
    func addMeasured(_ model: LoadedModel, as name: String) throws {
        if let memory, let footprint = try measurement(of: name)?() {
            self.memory?.models.measured(name, footprint)
            guard footprint.byteCountMin <= memory.models.limitBytes else {
                return update(name, to: .failed(reason: excess(footprint)))
            }
            self.memory?.models.take(name, beside: wanted, at: loop.now)
        }
        try add(model, as: name)
    }

    /// Notes what weights take.
    func note(_ base: String, _ footprint: ModelFootprint) {
        memory?.models.measured(base, footprint)
        memory?.measured.insert(base)
    }

    /// Loads measured weights for which there is room, those of the default first, once all are
    /// measured.
    func placeMeasured() {
        guard let measured = memory?.measured, !measured.isEmpty, !loader.isMeasuring else {
            return
        }
        memory?.measured = []
        let first = board.defaultName.map(base)
        let bases = board.names.filter(measured.contains)
        for base in bases where base == first { place(base) }
        for base in bases where base != first { place(base) }
    }

    private func place(_ base: String) {
        let names = waiting(for: base)
        guard !names.isEmpty, let models = memory?.models,
            let footprint = models.footprint(of: base)
        else { return }
        switch models.placement(of: base, used: [], waited: nil, at: loop.now) {
        case .fits: start(base)
        case .exceedsLimit: refuse(base, footprint)
        case .needs, .waits:
            for name in names {
                update(name, to: .standby(contextLength: footprint.contextLength))
            }
        }
    }

    /// The weights that may be in memory.
    private var wanted: Set<String> { Set(board.names.filter(board.isWanted).map(base)) }

    /// Loads weights that runs wait for as far as the limit allows, in the order in which the first
    /// of their runs began to wait, and lets others leave for them.
    /// - Parameters:
    ///   - awaited: the models of queued runs.
    ///   - used: the models that answer, or for which runs are queued.
    func makeReady(_ awaited: Set<String>, used: Set<String>) {
        guard var memory else { return }
        let now = loop.now
        let used = Set(used.map(base))
        for base in used { memory.models.use(base) }
        let standing = Set(awaited.filter { board.standbyLength(of: $0) != nil }.map(base))
        memory.awaitedSince = memory.awaitedSince.filter { standing.contains($0.key) }
        for base in standing where memory.awaitedSince[base] == nil {
            memory.awaitedSince[base] = now
        }
        self.memory = memory
        for base in memory.models.excess(used: used) { leave(base) }
        let order = memory.awaitedSince.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        for (base, since) in order {
            // They are on their way to standby, or here, themselves: their run has to wait for that.
            guard shared[base] == nil, endingEngines[base] == nil, !isComing(base) else { return }
            let placement = self.memory?.models.placement(
                of: base,
                used: used,
                waited: now - since,
                at: now
            )
            switch placement ?? .waits {
            case .fits: start(base)
            case .exceedsLimit:
                if let footprint = memory.models.footprint(of: base) { refuse(base, footprint) }
            // Those behind them wait, so that they do not take what leaves for them.
            case .needs(let others): return others.forEach(leave)
            case .waits: return
            }
        }
    }

    /// Reads weights whose memory is there.
    private func start(_ base: String) {
        guard let folder = folders[base] else { return }
        memory?.models.take(base, beside: wanted, at: loop.now)
        for name in waiting(for: base) { update(name, to: .loading(0)) }
        loader.add(base, .read(folder: folder))
    }

    private func refuse(_ base: String, _ footprint: ModelFootprint) {
        let reason = excess(footprint)
        for name in waiting(for: base) { update(name, to: .failed(reason: reason)) }
    }

    private func excess(_ footprint: ModelFootprint) -> ModelFailure {
        .exceedsMemory(footprint.byteCountMin, limit: memory?.models.limitBytes ?? 0)
    }

    /// Lets the models with the weights of `base` finish their answers, and then leave together.
    private func leave(_ base: String) {
        let names = names(of: base)
        // An adapter that is being read ends up on one side or the other first.
        guard !names.contains(where: isLoading) else { return }
        for name in names {
            guard case .ready(let contextLength)? = board[name] else { continue }
            update(name, to: .leaving(contextLength: contextLength))
        }
    }
}
