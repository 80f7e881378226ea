// Text to tokens and back, in the words of Hugging Face's swift-transformers, which MLX programs use.

/// The tokenizer of a model.
public protocol Tokenizer: Sendable {
    /// The tokens of `text`. Names of special tokens, such as "<|end|>", become those tokens: this is
    /// for texts of the program's own. With `addSpecialTokens`, the token that begins a text comes
    /// first where the tokenizer asks for one; no model of this family does.
    func encode(text: String, addSpecialTokens: Bool) -> [Int]

    /// The text of `tokens`. Special tokens appear by name unless they are skipped.
    func decode(tokens: [Int], skipSpecialTokens: Bool) -> String

    /// The id of the token with this text; nil where there is none.
    func convertTokenToId(_ token: String) -> Int?

    /// The text of the token with this id as the vocabulary has it; nil where there is none.
    func convertIdToToken(_ id: Int) -> String?

    /// The token that begins a text.
    var bosToken: String? { get }

    /// The token that ends a text. Answers end with it, and with others that the model's files name.
    var eosToken: String? { get }

    /// The token for what has none.
    var unknownToken: String? { get }

    /// The prompt for a conversation in the model's chat format, ready for the answer.
    ///
    /// Scaffolding and contents are tokenised apart: "<|end|>" in a content is text.
    /// - Throws: `PhiEngineError.invalidInput` where a message is not "role" and "content", both
    ///   texts.
    func applyChatTemplate(messages: [Message]) throws -> [Int]
}

extension Tokenizer {
    /// The tokens of `text`; see `encode(text:addSpecialTokens:)`.
    public func encode(text: String) -> [Int] {
        encode(text: text, addSpecialTokens: true)
    }

    /// The text of `tokens`, special tokens by their names.
    public func decode(tokens: [Int]) -> String {
        decode(tokens: tokens, skipSpecialTokens: false)
    }

    /// The id of `bosToken`.
    public var bosTokenId: Int? { bosToken.flatMap(convertTokenToId) }

    /// The id of `eosToken`.
    public var eosTokenId: Int? { eosToken.flatMap(convertTokenToId) }

    /// The id of `unknownToken`.
    public var unknownTokenId: Int? { unknownToken.flatMap(convertTokenToId) }
}
