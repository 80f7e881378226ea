// A model that answers: its engine, and how its prompts are built.

import ChatCore
package import Inference
import PhiModel
import Tokenizers

/// One model of the pool, ready to answer.
package struct ModelEngine {
    /// The model's name for clients.
    package let name: String
    /// Identifies its vocabulary: models with another one have different tokens.
    let identity: String
    /// The engine that generates the answers.
    package let engine: any InferenceEngine
    /// Builds prompts for the model.
    let promptBuilder: PromptBuilder
    /// Encodes a text that the model continues.
    let encode: @Sendable (String) -> [Int32]
    /// The same of a text in which the mark of calls is the model's token.
    let encodeCalls: @Sendable (String) -> [Int32]
    /// Who tells the model of tools.
    let toolSupport: ToolSupport
    /// Whether the model has a token; nil if remote engines answer, whose tokens are not known.
    let hasToken: (@Sendable (Int32) -> Bool)?
    /// The bytes of a token; nil likewise.
    let bytes: (@Sendable (Int32) -> [UInt8])?
    /// Whether the engine tells the tokens that it generates. If not, a text that an answer resumes
    /// from is encoded again.
    let tellsTokens: Bool
    /// Maximum tokens of prompt and answer together.
    let contextLength: Int

    init(_ model: LoadedModel, name: String, contextLimit: Int, engine: any InferenceEngine) {
        self.name = name
        identity = model.identity.hash ?? model.identity.name
        self.engine = engine
        let tokenizer = model.tokenizer
        encode = { tokenizer.encode($0, specialTokens: .asText) }
        let template = model.template
        encodeCalls = { template.encodeCalls($0) }
        toolSupport = template.toolForm == nil ? .none : .template
        hasToken = { tokenizer.hasToken($0) }
        bytes = { tokenizer.bytes(of: $0) }
        tellsTokens = true
        contextLength = min(model.model.contextLength, contextLimit)
        promptBuilder = PromptBuilder(
            encoding: TemplateEncoding(template: template),
            contextLength: contextLength
        )
    }

    /// A model that remote engines answer for.
    init(
        remote name: String,
        encoding: any PromptEncoding,
        encode: @escaping @Sendable (String) -> [Int32],
        encodeCalls: @escaping @Sendable (String) -> [Int32],
        toolSupport: ToolSupport,
        contextLength: Int,
        engine: any InferenceEngine
    ) {
        self.name = name
        identity = "remote:\(name)"
        self.engine = engine
        self.encode = encode
        self.encodeCalls = encodeCalls
        self.toolSupport = toolSupport
        hasToken = nil
        bytes = nil
        tellsTokens = false
        self.contextLength = contextLength
        promptBuilder = PromptBuilder(encoding: encoding, contextLength: contextLength)
    }

    /// The largest number of messages that fit into a context: each needs a token, and a few for
    /// the template.
    var messageLimit: Int { max(16, contextLength / 3) }
}
