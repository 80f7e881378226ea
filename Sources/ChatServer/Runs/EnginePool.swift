// The node's engines: one for each model and its adapters, in this process or on other machines, all
// with the same number of slots.

import ChatCore
import ChatProtocol
package import ChatStore
package import EventLoop
package import Inference
import RemoteEngine
import Synchronization

/// The pool: its models, the number of concurrent answers, and the delivery of the engines' token
/// events to the loop.
package final class EnginePool {
    /// Receives the events of an engine step.
    package typealias Sink = @Sendable ([TokenEvent]) -> Void

    /// Starts an engine for a model, with this memory for keys and values in MiB (nil for the
    /// setting's); the engine sends its events to the sink.
    package typealias MakeEngine = (
        LoadedModel, _ cacheMebibytes: Int?, @escaping Sink
    ) throws -> any InferenceEngine

    /// Reads a model's folder on the calling thread, and reports the progress from 0 to 1.
    package typealias Load = @Sendable (String, (Double) -> Void) throws -> LoadedModel

    /// Maximum concurrent answers of all models together.
    let slots: Int
    /// Called when a remote model has ended, so that it can be added again.
    var remoteModelEnded: () -> Void = {}
    /// The state of each model.
    package private(set) var board: ModelBoard
    /// Called for each change of a model's state.
    package var onChange: (_ name: String, ModelBoard.Change) -> Void = { _, _ in }
    /// The memory limit of the models; nil for none.
    package var memory: Memory?
    /// The threads on which they compute; nil if that is not known.
    let threads: ComputeThreads?
    let loop: EventLoop
    private let contextLimit: Int
    private let makeEngine: MakeEngine
    private let receive: ([TokenEvent]) -> Void
    private let load: Load
    private lazy var unloaded = loop.mailbox(capacity: 1 << 10) { [weak self] (names: [String]) in
        for name in names { self?.hasEnded(name) }
    }
    private(set) lazy var loader = ModelLoader(loop: loop, load: load) { [weak self] event in
        self?.take(event)
    }
    /// The models that answer.
    private(set) var engines: [String: ModelEngine] = [:]
    /// Their engines, by the models whose weights they have.
    private(set) var shared: [String: SharedEngine] = [:]
    /// The engines of unloaded weights that have not ended yet.
    private(set) var endingEngines: [String: any InferenceEngine] = [:]
    /// The folders of weights, to load them again.
    private(set) var folders: [String: String] = [:]
    /// The models that are another one with an adapter.
    var adapters: [String: AdapterFiles] = [:]
    /// The number of the latest request to an engine.
    var latestRequest: UInt64 = 0

    /// - Parameters:
    ///   - loop: where `receive` is called.
    ///   - slots: maximum concurrent answers.
    ///   - contextLimit: maximum tokens of prompt and answer together, if a model allows more.
    ///   - memory: the memory limit of the models; nil for none.
    ///   - threads: the threads on which engines compute, for metrics.
    ///   - thinkingLimits: maximum tokens of thinking parts, for models that have a limit of their own.
    ///   - load: reads a model, on a separate thread.
    ///   - makeEngine: starts an engine.
    ///   - receive: receives the events of one engine step.
    package init(
        loop: EventLoop,
        slots: Int,
        contextLimit: Int,
        memory: Memory? = nil,
        threads: ComputeThreads? = nil,
        thinkingLimits: [String: Int] = [:],
        load: @escaping Load = { try LoadedModel.load(folder: $0, progress: $1) },
        makeEngine: @escaping MakeEngine,
        receive: @escaping ([TokenEvent]) -> Void
    ) {
        self.loop = loop
        self.slots = slots
        self.contextLimit = contextLimit
        self.memory = memory
        self.threads = threads
        board = ModelBoard(thinkingLimits: thinkingLimits)
        self.load = load
        self.makeEngine = makeEngine
        self.receive = receive
    }

    // MARK: Models

    /// Adds a loaded model, which answers from now on.
    /// - Parameters:
    ///   - model: the model, which may be shared.
    ///   - name: its name for clients.
    /// - Throws: if its engine cannot start.
    package func add(_ model: LoadedModel, as name: String) throws {
        try start(model, as: name)
        answer(as: name)
    }

    /// Starts the engine of weights.
    private func start(_ model: LoadedModel, as base: String) throws {
        // A step has a few events per slot; batches wait here only while the loop is busy.
        let mailbox = loop.mailbox(capacity: 1 << 20, receive)
        let engine = try makeEngine(model, memory?.models.cacheMebibytes(of: base)) { events in
            _ = mailbox.post(contentsOf: events)
        }
        shared[base] = SharedEngine(engine: engine, model: model)
    }

    /// Answers for a model from now on, whose weights are here.
    func answer(as name: String, with adapter: LoadedAdapter? = nil) {
        guard let shared = shared[base(of: name)], let model = shared.model else { return }
        let engine = ModelEngine(
            model,
            name: name,
            contextLimit: contextLimit,
            engine: shared.engine,
            adapter: adapter
        )
        engines[name] = engine
        update(name, to: .ready(contextLength: engine.contextLength))
    }

    /// Loads a model while others answer. The board shows its progress and result.
    /// - Parameters:
    ///   - name: its name for clients.
    ///   - folder: its folder.
    package func load(_ name: String, from folder: String) {
        folders[name] = folder
        reload(name)
    }

    private func take(_ event: ModelLoader.Event) {
        switch event {
        case .measured(let base, let footprint): note(base, footprint)
        case .progress(let base, let share):
            for name in names(of: base) where isLoading(name) { update(name, to: .loading(share)) }
        case .loaded(let base, let model): take(model, as: base)
        case .adapted(let name, let adapter): take(adapter, of: name)
        case .failed(let name, let reason): fail(name, reason)
        }
        placeMeasured()
    }

    private func take(_ model: LoadedModel, as base: String) {
        let names = waiting(for: base)
        guard !names.isEmpty else {
            memory?.models.release(base)
            return
        }
        do { try start(model, as: base) } catch { return fail(base, .notLoaded("\(error)")) }
        for name in names { join(name) }
    }

    /// Notes that weights or an adapter cannot be loaded.
    private func fail(_ name: String, _ reason: ModelFailure) {
        guard adapters[name] == nil else {
            return update(name, to: board.isWanted(name) ? .failed(reason: reason) : .unloaded)
        }
        memory?.models.release(name)
        for model in waiting(for: name) { update(model, to: .failed(reason: reason)) }
    }

    /// Updates a model's state on the board.
    func update(_ name: String, to state: ModelBoard.State) {
        let change = board.update(name, to: state)
        let base = base(of: name)
        memory?.models.setLeaving(base, !isHeld(base))
        if change != .none { onChange(name, change) }
    }

    /// Removes a model that does not answer.
    func remove(_ name: String) {
        guard engines[name] == nil, board.remove(name) else { return }
        folders[name] = nil
        onChange(name, .state)
    }

    // MARK: Remote models

    /// Adds a model that remote engines answer for.
    /// - Parameters:
    ///   - name: its name for clients.
    ///   - make: starts its engine, which calls the first closure with a new context length, and
    ///     sends its events to the second.
    func addRemote(
        _ name: String,
        _ make: (@escaping (Int) -> Void, @escaping Sink) -> ModelEngine
    ) {
        // Its former engine is ending: it is added once that has ended.
        guard engines[name] == nil, endingEngines[name] == nil else { return }
        let mailbox = loop.mailbox(capacity: 1 << 20, receive)
        let engine = make({ [weak self] in self?.contextChanged(of: name, to: $0) }) { events in
            _ = mailbox.post(contentsOf: events)
        }
        engines[name] = engine
        shared[name] = SharedEngine(engine: engine.engine, model: nil)
        update(name, to: .ready(contextLength: engine.contextLength))
    }

    private func contextChanged(of name: String, to length: Int) {
        guard let engine = engines[name] else { return }
        engines[name] = engine.having(contextLength: length)
        if case .ready? = board[name] { update(name, to: .ready(contextLength: length)) }
    }

    /// Marks remote models for which no engine answers any more: `settle` unloads them.
    func retire(remoteModelsBut names: [String]) {
        let former = board.defaultName
        let all = Set(engines.keys).union(endingEngines.keys)
        board.retired = all.filter(isOrWasRemote).subtracting(names)
        announceDefault(after: former)
    }

    /// Whether remote engines answer for a model, or did and are ending.
    func isOrWasRemote(_ name: String) -> Bool {
        isRemote(name) || endingEngines[name] is RemoteEngine
    }

    /// The remote engines of a model; nil if it is none, or is not used any more.
    func remoteEngine(of name: String) -> RemoteEngine? { engines[name]?.engine as? RemoteEngine }

    // MARK: Loading and unloading

    /// Adds a model that is not loaded yet: `settle` decides whether it is.
    package func register(_ name: String, in folder: String) {
        folders[name] = folder
        noteUnloaded(name)
    }

    /// Puts a model on the board. A wanted one is not announced, since it is loaded next.
    func noteUnloaded(_ name: String) {
        let change = board.update(name, to: .unloaded)
        if change != .none, !board.isWanted(name) { onChange(name, .standing) }
    }

    /// Whether remote engines answer for a model.
    func isRemote(_ name: String) -> Bool { remoteEngine(of: name) != nil }

    /// The remote engines of all models, as they are now.
    var remoteStatuses: [(model: String, status: RemoteStatus)] {
        engines.values.sorted { $0.name < $1.name }.flatMap { model in
            ((model.engine as? RemoteEngine)?.statuses ?? []).map { (model.name, $0) }
        }
    }

    /// Whether a model's files are known to be on this machine.
    func hasFolder(_ name: String) -> Bool { folders[base(of: name)] != nil }

    /// Applies what administrators chose.
    package func choose(_ choices: ModelChoices) {
        let former = board.defaultName
        board.choices = choices
        announceDefault(after: former)
        settle()
    }

    private func announceDefault(after former: String?) {
        guard former != board.defaultName else { return }
        for name in [former, board.defaultName] {
            if let name { onChange(name, .standing) }
        }
    }

    /// Notes that a model is to be loaded once it is downloaded.
    func forgetChoice(of name: String) { board.choices.unloaded.remove(name) }

    /// Loads and unloads models as administrators chose.
    package func settle() {
        for name in board.names {
            switch board.step(for: name) {
            case .load?: reload(name)
            case .unload?: unload(name)
            case .keep?: keep(name)
            case nil: break
            }
        }
    }

    /// Loads a model that was unloaded, or failed to load.
    func reload(_ name: String) {
        let base = base(of: name)
        guard let folder = folders[base] else { return }
        // Weights that leave take all of their models along.
        if let length = leavingLength(of: base) {
            return update(name, to: .standby(contextLength: length))
        }
        update(name, to: .loading(0))
        if shared[base] != nil {
            join(name)
        } else if endingEngines[base] == nil, !isComing(base) {
            loader.add(base, measurement(of: base).map { .measure($0) } ?? .read(folder: folder))
        }
    }

    private func unload(_ name: String) {
        guard hasFolder(name) || isRemote(name) else { return }
        switch board[name] {
        case .failed?, .standby?: update(name, to: .unloaded)
        case .loading? where cancelLoading(name):
            update(name, to: .unloaded)
            placeMeasured()
        default: update(name, to: .unloading)
        }
    }

    private func keep(_ name: String) {
        // Without an engine it is ending, and is loaded again afterwards.
        guard let engine = engines[name] else { return }
        let length = leavingLength(of: base(of: name))
        update(
            name,
            to: length.map { .leaving(contextLength: $0) }
                ?? .ready(contextLength: engine.contextLength)
        )
    }

    /// Ends what is being unloaded and what no run uses: an adapter alone, or weights with all of their
    /// models.
    /// - Parameter isUsed: whether a run uses a model.
    func endUnloaded(unless isUsed: (String) -> Bool) {
        for base in shared.keys {
            let idle = names(of: base).filter { engines[$0] != nil && !isUsed($0) }
            if isHeld(base) {
                for name in idle where board[name] == .unloading {
                    engines[name] = nil
                    update(name, to: .unloaded)
                }
            } else if idle.count == names(of: base).count(where: { engines[$0] != nil }) {
                end(base)
            }
        }
    }

    /// Ends the engine of weights that no run uses, and frees their memory.
    private func end(_ base: String) {
        guard let ending = shared.removeValue(forKey: base) else { return }
        let models = names(of: base).compactMap { engines.removeValue(forKey: $0) }
        endingEngines[base] = ending.engine
        let last = Mutex<(shared: SharedEngine, [ModelEngine])?>((ending, models))
        let mailbox = unloaded
        let finish: @Sendable () -> Void = {
            // Taken out, so that its weights and tokenizer are freed on this thread and before the
            // message.
            last.withLock { $0.take() }?.shared.engine.shutdown()
            mailbox.post(base)
        }
        do throws(SystemError) { try detachThread(name: "unloading", finish) } catch {
            // The system gives no thread now: the next attempt follows with the next change.
            endingEngines[base] = nil
            shared[base] = ending
            for model in models { engines[model.name] = model }
        }
    }

    private func hasEnded(_ base: String) {
        let wasRemote = endingEngines.removeValue(forKey: base) is RemoteEngine
        memory?.models.release(base)
        for name in names(of: base) {
            switch board[name] {
            case .leaving(let length)?: update(name, to: .standby(contextLength: length))
            case .unloading?: update(name, to: .unloaded)
            // It became wanted meanwhile.
            case .loading?: reload(name)
            case .fetching?, .ready?, .unloaded?, .standby?, .failed?, nil: break
            }
        }
        if wasRemote {
            remove(base)
            remoteModelEnded()
        }
        settle()
    }

    // MARK: Shutdown

    /// Stops all engines, and waits for their last steps: never call it on a loop.
    var shutDown: @Sendable () -> Void {
        let engines = shared.values.map(\.engine)
        let ending = Array(endingEngines.values)
        return { for engine in engines + ending { engine.shutdown() } }
    }
}
