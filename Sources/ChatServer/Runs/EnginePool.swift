// The engines that answer. Today one embedded engine with a named number of slots; the seam for remote
// ones is `InferenceEngine`.

import ChatCore
import ChatProtocol
package import EventLoop
package import Inference
import PhiModel
import Tokenizers

/// The pool: which models there are, how many answers they can make at once, and where an engine's
/// token events come onto the loop.
package final class EnginePool {
    /// The model's name, as clients know it.
    let modelName: String
    /// Builds prompts for the model.
    let promptBuilder: PromptBuilder
    /// How many answers can be made at once.
    let slots: Int
    private let contextLength: Int
    /// The engine that makes the answers.
    package let engine: any InferenceEngine
    private var nextRequest: UInt64 = 0

    /// - Parameters:
    ///   - loop: where `receive` is called.
    ///   - model: the model that all answers are made with.
    ///   - name: what clients call it.
    ///   - slots: how many answers can be made at once.
    ///   - contextLimit: the longest prompt and answer together, where the model allows more.
    ///   - makeEngine: starts an engine that hands its events to the sink it is given.
    ///   - receive: takes the events of one engine step.
    /// - Throws: where the engine cannot start.
    package init(
        loop: EventLoop,
        model: LoadedModel,
        name: String,
        slots: Int,
        contextLimit: Int,
        makeEngine: (@escaping @Sendable ([TokenEvent]) -> Void) throws -> any InferenceEngine,
        receive: @escaping ([TokenEvent]) -> Void
    ) throws {
        modelName = name
        contextLength = min(model.model.contextLength, contextLimit)
        promptBuilder = PromptBuilder(
            encoding: TemplateEncoding(template: model.template),
            contextLength: contextLength
        )
        self.slots = slots
        // A step yields a few events a slot; a batch waits here only while the loop is busy.
        let mailbox = loop.mailbox(capacity: 1 << 20, receive)
        engine = try makeEngine { events in _ = mailbox.post(contentsOf: events) }
    }

    /// The models, as clients are told of them.
    var models: [Model] {
        [Model(name: modelName, contextLength: contextLength, state: .ready)]
    }

    /// The most messages that a context can hold: each takes a token, and a few of scaffold.
    var messageLimit: Int { max(16, contextLength / 3) }

    /// Hands a run to an engine.
    /// - Returns: the number that the engine's events will bear.
    /// - Throws: `EngineError` where the engine refuses it.
    func submit(_ prompt: Prompt, sampling: SamplingParameters) throws(EngineError) -> UInt64 {
        nextRequest += 1
        try engine.submit(
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

    /// Ends a run within one step; its end is confirmed by an event.
    func cancel(_ request: UInt64) {
        engine.cancel(request)
    }
}
