// The remote engines of a node: those of its settings, and those that administrators added while it
// ran. The latter are in the database: every node on it uses them, now and at each start.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging
import RemoteEngine

/// The remote engines, and what administrators do with them. Lives on its loop.
package final class RemoteEngineRegistry {
    private let settings: [RemoteEngineSetting]
    private let environment: [String: String]
    private let pool: EnginePool
    private let store: Store
    private let loop: EventLoop
    private let workers: WorkerPool
    private let logger: Logger
    /// The engines as they were read last.
    private var placements: [RemoteEnginePlacement]
    /// The labels of engines that administrators added.
    private var added: Set<String> = []
    private var models: RemoteModels
    /// Engines that cannot be used on this node, and why.
    private var problems: [String: String] = [:]
    /// Reads follow each other, so that an older one does not replace a newer one.
    private let reads: SerialQueues<Int>

    /// - Parameters:
    ///   - settings: the engines of the settings.
    ///   - models: the models of these.
    ///   - environment: has keys that are named by a variable.
    ///   - pool: uses the models.
    ///   - store: has the engines that administrators added.
    ///   - loop: the loop on which this object and connections live.
    ///   - workers: threads that read files and resolve host names.
    ///   - logger: logs what cannot be used, and faults.
    init(
        _ settings: [RemoteEngineSetting],
        _ models: RemoteModels,
        environment: [String: String],
        pool: EnginePool,
        store: Store,
        loop: EventLoop,
        workers: WorkerPool,
        logger: Logger
    ) {
        self.settings = settings
        self.models = models
        self.environment = environment
        self.pool = pool
        self.store = store
        self.loop = loop
        self.workers = workers
        self.logger = logger
        reads = SerialQueues(loop: loop)
        placements = settings.map { RemoteEnginePlacement(setting: $0) }
        pool.remoteModelEnded = { [weak self] in self?.apply() }
        apply()
    }

    // MARK: Reading

    /// Reads the stored engines, and uses all.
    /// - Throws: `PostgresError`.
    func refresh() async throws {
        try await reads.run(0) { try await read() }
    }

    private func read() async throws {
        let stored = try await store.models.remoteEngines()
        let (all, added, problems) = combined(with: stored)
        // What could not be read before may have been repaired.
        guard all != placements || added != self.added || !models.problems.isEmpty else { return }
        let (known, environment) = (models, environment)
        // Reading a tokenizer takes a second.
        let models = try await workers.run {
            RemoteModels(all, environment: environment, after: known)
        }
        self.added = added
        placements = all
        self.models = models
        let former = self.problems
        self.problems = problems.merging(models.problems.mapValues { "\($0)" }) { first, _ in first
        }
        for (label, problem) in self.problems where former[label] != problem {
            logger.warning(
                "remote engine cannot be used here",
                metadata: ["engine": "\(label)", "error": "\(problem)"]
            )
        }
        apply()
    }

    /// The engines of the settings, then the stored ones that do not collide with them.
    private func combined(
        with stored: [StoredRemoteEngine]
    ) -> (all: [RemoteEnginePlacement], added: Set<String>, problems: [String: String]) {
        let draining = Set(stored.filter(\.isDraining).map(\.label))
        var all = settings.map {
            RemoteEnginePlacement(setting: $0, isDraining: draining.contains($0.label))
        }
        var (added, problems) = (Set<String>(), [String: String]())
        for engine in stored {
            guard let definition = engine.definition else { continue }
            guard !settings.contains(where: { $0.label == engine.label }) else {
                problems[engine.label] = "the settings have an engine with this label, too"
                continue
            }
            do throws(SettingFault) {
                let setting = try RemoteEngineSetting(definition)
                added.insert(engine.label)
                all.append(RemoteEnginePlacement(setting: setting, isDraining: engine.isDraining))
            } catch {
                // Stored by a newer version.
                problems[engine.label] = "its definition \(error)"
            }
        }
        return (all, added, problems)
    }

    /// Lets the pool use the models. One that is called like a model of this machine is left out.
    private func apply() {
        pool.use(
            models.without { pool.board[$0] != nil && !pool.isOrWasRemote($0) },
            loop: loop,
            workers: workers,
            logger: logger
        )
    }

    // MARK: For administrators

    /// All engines as this node sees them.
    var engines: [EngineSummary] { placements.map(summary) }

    /// Adds an engine; acknowledged after the commit.
    /// - Throws: `WireError` if it cannot be used here; `PostgresError`.
    func add(_ definition: String, by user: User) async throws -> EngineSummary {
        let setting: RemoteEngineSetting
        do throws(SettingFault) { setting = try RemoteEngineSetting(definition) } catch {
            throw WireError(.badRequest, "the engine \(error)")
        }
        guard !placements.contains(where: { $0.setting.label == setting.label }) else {
            throw WireError(
                .conflict,
                "there is an engine called \(setting.label): choose another label="
            )
        }
        guard pool.board[setting.name] == nil || pool.isOrWasRemote(setting.name) else {
            throw WireError(
                .conflict,
                "\(setting.name) is a model of this machine: choose another name with as="
            )
        }
        let placements = placements + [RemoteEnginePlacement(setting: setting)]
        let (former, environment) = (models, environment)
        let tried = try await workers.run {
            RemoteModels(placements, environment: environment, after: former)
        }
        if let problem = tried.problems[setting.label] {
            throw WireError(.badRequest, "\(problem)")
        }
        try await store.models.addRemoteEngine(setting.label, definition, by: user)
        try await refresh()
        return try engine(setting.label)
    }

    /// Lets an engine get no new requests, or again; acknowledged after the commit.
    /// - Throws: `WireError` if it is not known; `PostgresError`.
    func drain(_ label: String, _ isDraining: Bool, by user: User) async throws -> EngineSummary {
        _ = try engine(label)
        try await store.models.setDraining(isDraining, label, by: user)
        try await refresh()
        return try engine(label)
    }

    /// Removes an engine; acknowledged after the commit. Its running answers have some time.
    /// - Throws: `WireError` if it is not known, or is one of the settings; `PostgresError`.
    func remove(_ label: String, by user: User) async throws {
        guard !settings.contains(where: { $0.label == label }) else {
            throw WireError(
                .conflict,
                "\(label) is in the server's settings: remove it there, or drain it"
            )
        }
        try await store.models.removeRemoteEngine(label, by: user)
        try await refresh()
    }

    /// Lets other engines go on at once with the running answers of removed ones, here.
    func leaveRemoved() { pool.leaveRemovedEngines() }

    private func engine(_ label: String) throws(WireError) -> EngineSummary {
        guard let placement = placements.first(where: { $0.setting.label == label }) else {
            throw WireError(
                .notFound,
                "there is no engine called \(label): engine.list shows those that exist"
            )
        }
        return summary(placement)
    }

    private func summary(_ placement: RemoteEnginePlacement) -> EngineSummary {
        let setting = placement.setting
        let status = pool.remoteStatuses.last {
            $0.model == setting.name && $0.status.label == setting.label
        }?.status
        var engine = EngineSummary(
            label: setting.label,
            url: "\(setting.base)",
            model: setting.name,
            modelThere: setting.model,
            source: added.contains(setting.label) ? .administrators : .settings,
            state: state(placement, status),
            slots: status?.slots ?? setting.slots
        )
        engine.fault = problems[setting.label] ?? status?.fault
        guard let status else { return engine }
        engine.kind = status.kind
        engine.running = status.running
        engine.runningThere = status.runningThere
        engine.waitingThere = status.waitingThere
        engine.contextLength = status.contextLength
        engine.finished = status.finished
        engine.failed = status.failed
        return engine
    }

    /// The state that was decided here counts before that of the loop, which follows.
    private func state(
        _ placement: RemoteEnginePlacement,
        _ status: RemoteStatus?
    ) -> EngineSummary.State {
        if problems[placement.setting.label] != nil { return .unusable }
        if placement.isDraining { return .draining }
        return switch status?.state {
        case .probing?: .probing
        case .paused?: .paused
        case .removed?: .removed
        case .available?, .draining?, nil: .available
        }
    }
}
