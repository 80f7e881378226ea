// Converts text to tokens and back, with the names of Hugging Face's swift-transformers, which MLX
// programs use.

/// The tokenizer of a model.
public protocol Tokenizer: Sendable {
    /// The tokens of `text`. Names of special tokens, such as "<|end|>", become those tokens: use
    /// it for trusted text only. With `addSpecialTokens`, the begin token comes first if the
    /// tokenizer is configured so; no model of this family is.
    func encode(text: String, addSpecialTokens: Bool) -> [Int]

    /// The text of `tokens`. Special tokens appear by name unless they are skipped.
    func decode(tokens: [Int], skipSpecialTokens: Bool) -> String

    /// The id of the token with this text; nil if there is none.
    func convertTokenToId(_ token: String) -> Int?

    /// The vocabulary's text of the token with this id; nil if there is none.
    func convertIdToToken(_ id: Int) -> String?

    /// The begin-of-text token.
    var bosToken: String? { get }

    /// The end-of-text token. It ends answers, as do others that the model's files name.
    var eosToken: String? { get }

    /// The token for text without a token.
    var unknownToken: String? { get }

    /// The prompt for a conversation in the model's chat format, ready for the answer.
    ///
    /// Template text and message content are tokenized separately: "<|end|>" in a message is text.
    /// - Throws: `PhiEngineError.invalidInput` if a message is not "role" and "content", both
    ///   strings.
    func applyChatTemplate(messages: [Message]) throws -> [Int]
}

extension Tokenizer {
    /// The tokens of `text`; see `encode(text:addSpecialTokens:)`.
    public func encode(text: String) -> [Int] {
        encode(text: text, addSpecialTokens: true)
    }

    /// The text of `tokens`, with special tokens by name.
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
