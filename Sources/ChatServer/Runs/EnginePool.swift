// The engines that answer: one for each model, all with the same number of slots. The seam for remote
// ones is `InferenceEngine`.

import ChatCore
import ChatProtocol
package import EventLoop
package import Inference
import Tokenizers

/// The pool: which models there are, how many answers they can make at once, and where their engines'
/// token events come onto the loop.
package final class EnginePool {
    /// Where an engine puts the events of a step.
    package typealias Sink = @Sendable ([TokenEvent]) -> Void

    /// Starts an engine for a model; it hands its events to the sink that it is given.
    package typealias MakeEngine = (LoadedModel, @escaping Sink) throws -> any InferenceEngine

    /// Reads a model's folder on the calling thread, and reports how far that is, from 0 to 1.
    package typealias Load = @Sendable (String, (Double) -> Void) throws -> LoadedModel

    /// How many answers can be made at once, by all models together.
    let slots: Int
    /// What each model is doing.
    package private(set) var board = ModelBoard()
    /// Called for each change of a model.
    package var onChange: (_ name: String, ModelBoard.Change) -> Void = { _, _ in }
    private let loop: EventLoop
    private let contextLimit: Int
    private let makeEngine: MakeEngine
    private let receive: ([TokenEvent]) -> Void
    private let load: Load
    private lazy var loader = ModelLoader(loop: loop, load: load) { [weak self] event in
        self?.take(event)
    }
    private var engines: [String: ModelEngine] = [:]
    private var nextRequest: UInt64 = 0

    /// - Parameters:
    ///   - loop: where `receive` is called.
    ///   - slots: how many answers can be made at once.
    ///   - contextLimit: the longest prompt and answer together, where a model allows more.
    ///   - load: reads a model, on a thread of its own.
    ///   - makeEngine: starts an engine.
    ///   - receive: takes the events of one engine step.
    package init(
        loop: EventLoop,
        slots: Int,
        contextLimit: Int,
        load: @escaping Load = { try LoadedModel.load(folder: $0, progress: $1) },
        makeEngine: @escaping MakeEngine,
        receive: @escaping ([TokenEvent]) -> Void
    ) {
        self.loop = loop
        self.slots = slots
        self.contextLimit = contextLimit
        self.load = load
        self.makeEngine = makeEngine
        self.receive = receive
    }

    // MARK: Models

    /// Adds a model that is loaded already; it answers from now on.
    /// - Parameters:
    ///   - model: shared with whoever else uses it.
    ///   - name: what clients call it.
    /// - Throws: where its engine cannot start.
    package func add(_ model: LoadedModel, as name: String) throws {
        // A step yields a few events a slot; a batch waits here only while the loop is busy.
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

    /// Loads a model while others answer. What comes of it stands on the board.
    /// - Parameters:
    ///   - name: what clients call it.
    ///   - folder: where it lies.
    package func load(_ name: String, from folder: String) {
        update(name, to: .loading(0))
        loader.add(name, folder: folder)
    }

    private func take(_ event: ModelLoader.Event) {
        switch event {
        case .progress(let name, let share):
            update(name, to: .loading(share))
        case .loaded(let name, let model):
            do { try add(model, as: name) } catch { update(name, to: .failed(reason: "\(error)")) }
        case .failed(let name, let reason):
            update(name, to: .failed(reason: reason))
        }
    }

    /// Puts on the board what a model is doing.
    func update(_ name: String, to state: ModelBoard.State) {
        let change = board.update(name, to: state)
        if change != .none { onChange(name, change) }
    }

    /// Forgets a model that does not answer.
    func remove(_ name: String) {
        guard engines[name] == nil, board.remove(name) else { return }
        onChange(name, .state)
    }

    // MARK: Answers

    /// The engine that answers in conversations of `model`.
    /// - Throws: `WireError` for its reader, where that model cannot answer.
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

    /// The model that answers in conversations of `model`, while that cannot answer yet.
    func awaited(by model: String) -> Model? {
        guard let name = board.answering(for: model), engines[name] == nil else { return nil }
        return board.model(name, isAdministrator: false)
    }

    /// The longest prompt and answer together that any of the models takes.
    var contextLength: Int { engines.values.map(\.contextLength).max() ?? .max }

    /// The shortest of these; nil while no model is loaded.
    var contextLengthMin: Int? { engines.values.map(\.contextLength).min() }

    /// The most messages that any of the models can hold.
    var messageLimit: Int { engines.values.map(\.messageLimit).max() ?? 16 }

    /// Hands a run to an engine.
    /// - Parameters:
    ///   - prompt: what the model is given.
    ///   - answerPrefix: the tokens of the answer that there are already.
    ///   - givenCount: how many of those the answer began with, of which stop strings end nothing.
    ///   - stopStrings: the answer ends before the first of them.
    ///   - sampling: how tokens are drawn.
    ///   - cacheScope: whose earlier runs may have read the prompt's beginning already.
    ///   - model: which engine.
    /// - Returns: the number that the engine's events will bear.
    /// - Throws: `EngineError` where the engine refuses it.
    func submit(
        _ prompt: Prompt,
        answerPrefix: [Int32] = [],
        givenCount: Int = 0,
        stopStrings: [String] = [],
        sampling: SamplingParameters,
        cacheScope: String? = nil,
        to model: ModelEngine
    ) throws(EngineError) -> UInt64 {
        nextRequest += 1
        try model.engine.submit(
            GenerationRequest(
                id: nextRequest,
                prompt: prompt.tokens,
                messages: prompt.messages.map { ChatMessage(role: $0.role, content: $0.text) },
                answerPrefix: answerPrefix,
                givenCount: givenCount,
                sampling: sampling,
                maxNewTokens: prompt.maxNewTokens,
                stopStrings: stopStrings,
                cacheScope: cacheScope,
                publishedCount: prompt.publishedTokenCount
            )
        )
        return nextRequest
    }

    /// For which scopes engines have something in memory.
    var scopes: Set<String> {
        engines.values.reduce(into: []) { $0.formUnion($1.engine.scopes) }
    }

    /// Lets all engines forget what they have read for these scopes.
    func forget(_ scopes: [String]) {
        for engine in engines.values { engine.engine.forget(scopes) }
    }

    /// Ends all engines, and waits for their last steps: never on a loop.
    var shutDown: @Sendable () -> Void {
        let engines = engines.values.map(\.engine)
        return { for engine in engines { engine.shutdown() } }
    }
}
