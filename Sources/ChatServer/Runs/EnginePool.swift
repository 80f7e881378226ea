// The node's engines: one per model, in this process or on other machines, all with the same number of
// slots.

import ChatCore
import ChatProtocol
package import ChatStore
import ConstrainedText
package import EventLoop
package import Inference
import RemoteEngine
import Synchronization
import Tokenizers

/// The pool: its models, the number of concurrent answers, and the delivery of the engines' token
/// events to the loop.
package final class EnginePool {
    /// Receives the events of an engine step.
    package typealias Sink = @Sendable ([TokenEvent]) -> Void

    /// Starts an engine for a model; the engine sends its events to the sink.
    package typealias MakeEngine = (LoadedModel, @escaping Sink) throws -> any InferenceEngine

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
    private let loop: EventLoop
    private let contextLimit: Int
    private let makeEngine: MakeEngine
    private let receive: ([TokenEvent]) -> Void
    private let load: Load
    private lazy var unloaded = loop.mailbox(capacity: 1 << 10) { [weak self] (names: [String]) in
        for name in names { self?.hasEnded(name) }
    }
    private lazy var loader = ModelLoader(loop: loop, load: load) { [weak self] event in
        self?.take(event)
    }
    private var engines: [String: ModelEngine] = [:]
    /// The engines of unloaded models that have not ended yet.
    private var endingEngines: [String: any InferenceEngine] = [:]
    /// The folders of models, to load them again.
    private var folders: [String: String] = [:]
    private var nextRequest: UInt64 = 0

    /// - Parameters:
    ///   - loop: where `receive` is called.
    ///   - slots: maximum concurrent answers.
    ///   - contextLimit: maximum tokens of prompt and answer together, if a model allows more.
    ///   - thinkingLimits: maximum tokens of thinking parts, for models that have a limit of their own.
    ///   - load: reads a model, on a separate thread.
    ///   - makeEngine: starts an engine.
    ///   - receive: receives the events of one engine step.
    package init(
        loop: EventLoop,
        slots: Int,
        contextLimit: Int,
        thinkingLimits: [String: Int] = [:],
        load: @escaping Load = { try LoadedModel.load(folder: $0, progress: $1) },
        makeEngine: @escaping MakeEngine,
        receive: @escaping ([TokenEvent]) -> Void
    ) {
        self.loop = loop
        self.slots = slots
        self.contextLimit = contextLimit
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
            engine: try makeEngine(model) { events in _ = mailbox.post(contentsOf: events) }
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
        loader.add(name, folder: folder)
    }

    private func take(_ event: ModelLoader.Event) {
        switch event {
        case .progress(let name, let share):
            update(name, to: .loading(share))
        case .loaded(let name, _) where !board.isWanted(name):
            update(name, to: .unloaded)
        case .loaded(let name, let model):
            do {
                try add(model, as: name)
            } catch {
                update(name, to: .failed(reason: .notLoaded("\(error)")))
            }
        case .failed(let name, let reason):
            update(name, to: .failed(reason: reason))
        }
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
        case .failed?: update(name, to: .unloaded)
        case .loading? where loader.cancel(name): update(name, to: .unloaded)
        default: update(name, to: .unloading)
        }
    }

    private func keep(_ name: String) {
        // Without an engine it is ending, and is loaded again afterwards.
        guard let engine = engines[name] else { return }
        update(name, to: .ready(contextLength: engine.contextLength))
    }

    /// The models that are being unloaded and whose engines may still have runs.
    var unloading: [String] { engines.keys.filter { board[$0] == .unloading } }

    /// Ends the engine of a model that is being unloaded, and frees its memory. No run may use it.
    func end(_ name: String) {
        guard board[name] == .unloading, let model = engines.removeValue(forKey: name) else {
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
        update(name, to: .unloaded)
        if wasRemote {
            remove(name)
            remoteModelEnded()
        }
        settle()
    }

    // MARK: Answers

    /// The engine that answers in conversations of `model`.
    /// - Throws: `WireError` for the client, if the model cannot answer.
    func engine(for model: String) throws(WireError) -> ModelEngine {
        let name = board.answering(for: model) ?? model
        guard let engine = engines[name] else {
            throw WireError(
                .engineFailed,
                "the model \(name) could not be loaded: administrators can see the reason"
            )
        }
        return engine
    }

    /// The model that will answer in conversations of `model`, if it is not ready yet; else nil.
    func awaited(by model: String) -> Model? {
        guard let name = board.answering(for: model), engines[name] == nil else { return nil }
        return board.model(name, isAdministrator: false)
    }

    /// The largest context of all models, in tokens of prompt and answer together.
    var contextLength: Int { engines.values.map(\.contextLength).max() ?? .max }

    /// The smallest context of all models; nil if no model is loaded.
    var contextLengthMin: Int? { engines.values.map(\.contextLength).min() }

    /// The largest number of messages that fit into any model's context.
    var messageLimit: Int { engines.values.map(\.messageLimit).max() ?? 16 }

    /// Submits a run to an engine.
    /// - Parameters:
    ///   - prompt: what the model is given.
    ///   - answerPrefix: the tokens of the answer's text so far.
    ///   - answerText: that text.
    ///   - givenCount: how many of them were the answer's initial text, in which stop strings are
    ///     ignored.
    ///   - stopStrings: the answer ends before the first occurrence of any of them.
    ///   - sampling: how tokens are sampled.
    ///   - topLogprobs: see `GenerationRequest.topLogprobs`.
    ///   - constraint: the form that the answer must have.
    ///   - thinkingTokensMax: see `GenerationRequest.thinkingTokensMax`.
    ///   - cacheScope: limits the use of cached prompt beginnings to runs of the same scope.
    ///   - traceFields: see `GenerationRequest.traceFields`.
    ///   - model: the engine's model.
    /// - Returns: the number of the run in the engine's events.
    /// - Throws: `EngineError` if the engine refuses it.
    func submit(
        _ prompt: Prompt,
        answerPrefix: [Int32] = [],
        answerText: String = "",
        givenCount: Int = 0,
        stopStrings: [String] = [],
        sampling: SamplingParameters,
        topLogprobs: Int? = nil,
        constraint: AnswerConstraint? = nil,
        thinkingTokensMax: Int? = nil,
        cacheScope: String? = nil,
        traceFields: [String: String] = [:],
        to model: ModelEngine
    ) throws(EngineError) -> UInt64 {
        nextRequest += 1
        var request = GenerationRequest(
            id: nextRequest,
            prompt: prompt.tokens,
            // A prompt without a template consists of its tokens alone.
            messages: prompt.receipt.isRaw == true
                ? [] : prompt.messages.map { ChatMessage(role: $0.role, content: $0.text) },
            answerPrefix: answerPrefix,
            answerText: answerText,
            givenCount: givenCount,
            sampling: sampling,
            topLogprobs: topLogprobs,
            maxNewTokens: prompt.maxNewTokens,
            stopStrings: stopStrings,
            constraint: constraint,
            cacheScope: cacheScope,
            publishedCount: prompt.publishedTokenCount
        )
        request.thinkingTokensMax = thinkingTokensMax
        request.traceFields = traceFields
        try model.engine.submit(request)
        return nextRequest
    }

    /// The scopes of which engines have KV cache in memory.
    var scopes: Set<String> {
        engines.values.reduce(into: []) { $0.formUnion($1.engine.scopes) }
    }

    /// Removes these scopes from all engines' KV caches.
    func forget(_ scopes: [String]) {
        for engine in engines.values { engine.engine.forget(scopes) }
    }

    /// Stops all engines, and waits for their last steps: never call it on a loop.
    var shutDown: @Sendable () -> Void {
        let engines = engines.values.map(\.engine)
        let ending = Array(endingEngines.values)
        return { for engine in engines + ending { engine.shutdown() } }
    }
}
