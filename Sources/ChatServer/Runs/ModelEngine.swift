// A model that answers: its engine, and how prompts for it are built.

import ChatCore
package import Inference
import PhiModel
import Tokenizers

/// One model of the pool, ready to answer.
package struct ModelEngine {
    /// What clients call the model.
    package let name: String
    /// Tells it from models whose tokens are others.
    let identity: String
    /// The engine that makes the answers.
    package let engine: any InferenceEngine
    /// Builds prompts for the model.
    let promptBuilder: PromptBuilder
    /// Makes tokens of a text that the model goes on with.
    let tokenizer: Tokenizer
    /// The longest prompt and answer together, in tokens.
    let contextLength: Int

    init(_ model: LoadedModel, name: String, contextLimit: Int, engine: any InferenceEngine) {
        self.name = name
        identity = model.identity.hash ?? model.identity.name
        self.engine = engine
        tokenizer = model.tokenizer
        contextLength = min(model.model.contextLength, contextLimit)
        promptBuilder = PromptBuilder(
            encoding: TemplateEncoding(template: model.template),
            contextLength: contextLength
        )
    }

    /// The most messages that a context can hold: each takes a token, and a few of scaffold.
    var messageLimit: Int { max(16, contextLength / 3) }
}
