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
    /// Starts an engine for a model; it hands its events to the sink that it is given.
    package typealias MakeEngine = (
        LoadedModel, @escaping @Sendable ([TokenEvent]) -> Void
    ) throws -> any InferenceEngine

    /// How many answers can be made at once, by all models together.
    let slots: Int
    private let loop: EventLoop
    private let contextLimit: Int
    private let makeEngine: MakeEngine
    private let receive: ([TokenEvent]) -> Void
    private var engines: [ModelEngine] = []
    private var nextRequest: UInt64 = 0

    /// - Parameters:
    ///   - loop: where `receive` is called.
    ///   - slots: how many answers can be made at once.
    ///   - contextLimit: the longest prompt and answer together, where a model allows more.
    ///   - makeEngine: starts an engine.
    ///   - receive: takes the events of one engine step.
    package init(
        loop: EventLoop,
        slots: Int,
        contextLimit: Int,
        makeEngine: @escaping MakeEngine,
        receive: @escaping ([TokenEvent]) -> Void
    ) {
        self.loop = loop
        self.slots = slots
        self.contextLimit = contextLimit
        self.makeEngine = makeEngine
        self.receive = receive
    }

    /// Adds a model that is loaded already; it answers from now on.
    /// - Parameters:
    ///   - model: shared with whoever else uses it.
    ///   - name: what clients call it.
    /// - Throws: where its engine cannot start.
    package func add(_ model: LoadedModel, as name: String) throws {
        // A step yields a few events a slot; a batch waits here only while the loop is busy.
        let mailbox = loop.mailbox(capacity: 1 << 20, receive)
        engines.append(
            ModelEngine(
                model,
                name: name,
                contextLimit: contextLimit,
                engine: try makeEngine(model) { events in _ = mailbox.post(contentsOf: events) }
            )
        )
    }

    /// The models, as clients are told of them.
    var models: [Model] {
        engines.map { Model(name: $0.name, contextLength: $0.contextLength, state: .ready) }
    }

    /// The engine that answers in conversations of `model`.
    func engine(for model: String) -> ModelEngine? {
        engines.first { $0.name == model } ?? engines.first
    }

    /// The most messages that any of the models can hold.
    var messageLimit: Int { engines.map(\.messageLimit).max() ?? 16 }

    /// Hands a run to an engine.
    /// - Returns: the number that the engine's events will bear.
    /// - Throws: `EngineError` where the engine refuses it.
    func submit(
        _ prompt: Prompt,
        sampling: SamplingParameters,
        to model: ModelEngine
    ) throws(EngineError) -> UInt64 {
        nextRequest += 1
        try model.engine.submit(
            GenerationRequest(
                id: nextRequest,
                prompt: prompt.tokens,
                messages: prompt.messages.map { ChatMessage(role: $0.role, content: $0.text) },
                sampling: sampling,
                maxNewTokens: prompt.maxNewTokens
            )
        )
        return nextRequest
    }

    /// Ends all engines, and waits for their last steps: never on a loop.
    var shutDown: @Sendable () -> Void {
        let engines = engines.map(\.engine)
        return { for engine in engines { engine.shutdown() } }
    }
}
