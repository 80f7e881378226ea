// The tokenizer and the chat template of a model that remote engines answer for.

import ChatCore
import Inference
import Tokenizers

/// How prompts of a remote model are built here.
struct RemoteTokenizer: Sendable {
    /// Applies the template.
    let encoding: any PromptEncoding
    /// Encodes a text as text.
    let encode: @Sendable (String) -> [Int32]
    /// The same of a text in which the mark of calls is the model's token.
    let encodeCalls: @Sendable (String) -> [Int32]
    /// Whether the template tells the model of tools.
    let knowsTools: Bool
    /// The tokens.
    let vocabulary: ModelEngine.Vocabulary

    /// Reads a folder; this takes a second for a large tokenizer.
    /// - Throws: `TokenizerError`.
    init(folder: String) throws(TokenizerError) {
        let tokenizer = try Tokenizer.load(folder: folder)
        let template = try ChatTemplate.load(folder: folder, tokenizer: tokenizer)
        encoding = TemplateEncoding(template: template)
        encodeCalls = { template.encodeCalls($0) }
        knowsTools = template.toolForm != nil
        encode = { tokenizer.encode($0, specialTokens: .asText) }
        vocabulary = ModelEngine.Vocabulary(tokenizer: tokenizer)
    }
}
