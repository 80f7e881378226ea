// The node's engines: one per model, in this process or on other machines, all with the same number of
// slots.

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
    private(set) var engines: [String: ModelEngine] = [:]
    /// The engines of unloaded models that have not ended yet.
    private var endingEngines: [String: any InferenceEngine] = [:]
    /// The folders of models, to load them again.
    private(set) var folders: [String: String] = [:]
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
        // A step has a few events per slot; batches wait here only while the loop is busy.
        let mailbox = loop.mailbox(capacity: 1 << 20, receive)
        let engine = ModelEngine(
            model,
            name: name,
            contextLimit: contextLimit,
            engine: try makeEngine(model, memory?.models.cacheMebibytes(of: name)) { events in
                _ = mailbox.post(contentsOf: events)
            }
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
        update(name, to: .loading(0))
        if let memory {
            loader.add(name, .measure(folder: folder, memory.measure))
        } else {
            loader.add(name, .read(folder: folder))
        }
    }

    private func take(_ event: ModelLoader.Event) {
        switch event {
        case .measured(let name, let footprint): note(name, footprint)
        case .progress(let name, let share):
            update(name, to: .loading(share))
        case .loaded(let name, _) where !board.isWanted(name):
            memory?.models.release(name)
            update(name, to: .unloaded)
        case .loaded(let name, let model):
            do {
                try add(model, as: name)
            } catch {
                memory?.models.release(name)
                update(name, to: .failed(reason: .notLoaded("\(error)")))
            }
        case .failed(let name, let reason):
            memory?.models.release(name)
            update(name, to: .failed(reason: reason))
        }
        placeMeasured()
    }

    /// Updates a model's state on the board.
    func update(_ name: String, to state: ModelBoard.State) {
        let change = board.update(name, to: state)
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

    /// Adds a model that is not loaded yet: `settle` decides whether it is. A wanted one is not
    /// announced, since it is loaded next.
    package func register(_ name: String, in folder: String) {
        folders[name] = folder
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
    func hasFolder(_ name: String) -> Bool { folders[name] != nil }

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
        guard let folder = folders[name] else { return }
        load(name, from: folder)
    }

    private func unload(_ name: String) {
        guard folders[name] != nil || isRemote(name) else { return }
        switch board[name] {
        case .failed?, .standby?: update(name, to: .unloaded)
        case .loading? where loader.cancel(name):
            memory?.models.release(name)
            update(name, to: .unloaded)
            placeMeasured()
        default:
            memory?.models.setLeaving(name, true)
            update(name, to: .unloading)
        }
    }

    private func keep(_ name: String) {
        // Without an engine it is ending, and is loaded again afterwards.
        guard let engine = engines[name] else { return }
        memory?.models.setLeaving(name, false)
        update(name, to: .ready(contextLength: engine.contextLength))
    }

    /// The models that are being unloaded and whose engines may still have runs.
    var unloading: [String] { engines.keys.filter(isEnding) }

    private func isEnding(_ name: String) -> Bool {
        switch board[name] {
        case .unloading?, .leaving?: true
        case .fetching?, .loading?, .ready?, .unloaded?, .standby?, .failed?, nil: false
        }
    }

    /// Ends the engine of a model that is being unloaded, and frees its memory. No run may use it.
    func end(_ name: String) {
        guard isEnding(name), let model = engines.removeValue(forKey: name) else {
            return
        }
        endingEngines[name] = model.engine
        let last = Mutex<ModelEngine?>(model)
        let mailbox = unloaded
        let finish: @Sendable () -> Void = {
            // Taken out, so that its weights and tokenizer are freed on this thread and before the
            // message.
            last.withLock { $0.take() }?.engine.shutdown()
            mailbox.post(name)
        }
        do throws(SystemError) { try detachThread(name: "unloading", finish) } catch {
            // The system gives no thread now: the next attempt follows with the next change.
            endingEngines[name] = nil
            engines[name] = model
        }
    }

    private func hasEnded(_ name: String) {
        let wasRemote = endingEngines.removeValue(forKey: name) is RemoteEngine
        memory?.models.release(name)
        if let contextLength = board.standbyLength(of: name) {
            update(name, to: .standby(contextLength: contextLength))
        } else {
            update(name, to: .unloaded)
        }
        if wasRemote {
            remove(name)
            remoteModelEnded()
        }
        settle()
    }

    // MARK: Shutdown

    /// Stops all engines, and waits for their last steps: never call it on a loop.
    var shutDown: @Sendable () -> Void {
        let engines = engines.values.map(\.engine)
        let ending = Array(endingEngines.values)
        return { for engine in engines + ending { engine.shutdown() } }
    }
}
