// Converts text to tokens and back, with the names of MLX Swift LM's protocol.

public import Foundation

/// The tokenizer of a model.
public protocol Tokenizer: Sendable {
    /// The tokens of `text`. Names of special tokens, such as "<|end|>", become those tokens: use
    /// it for trusted text only. With `addSpecialTokens`, the begin token comes first if the
    /// tokenizer is configured so; no model of this family is.
    func encode(text: String, addSpecialTokens: Bool) -> [Int]

    /// The text of `tokenIds`. Special tokens appear by name unless they are skipped.
    func decode(tokenIds: [Int], skipSpecialTokens: Bool) -> String

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
    /// - Parameters:
    ///   - messages: "role" and "content" of each message, both strings; "tool_calls" of an answer.
    ///   - tools: the tools that the model may call; nil for none.
    ///   - additionalContext: variables of the template; those of this family have none.
    /// - Returns: the tokens.
    /// - Throws: `PhiEngineError.invalidInput` if a message is something else, or the model is told of
    ///   tools and its template writes none.
    func applyChatTemplate(
        messages: [Message],
        tools: [ToolSpec]?,
        additionalContext: [String: any Sendable]?
    ) throws -> [Int]
}

extension Tokenizer {
    /// The tokens of `text`; see `encode(text:addSpecialTokens:)`.
    public func encode(text: String) -> [Int] {
        encode(text: text, addSpecialTokens: true)
    }

    /// The text of `tokenIds`, with special tokens by name.
    public func decode(tokenIds: [Int]) -> String {
        decode(tokenIds: tokenIds, skipSpecialTokens: false)
    }

    /// `decode(tokenIds:skipSpecialTokens:)` under the name of the releases before 3.
    public func decode(tokens: [Int], skipSpecialTokens: Bool = false) -> String {
        decode(tokenIds: tokens, skipSpecialTokens: skipSpecialTokens)
    }

    /// The prompt for a conversation without tools.
    public func applyChatTemplate(messages: [Message]) throws -> [Int] {
        try applyChatTemplate(messages: messages, tools: nil, additionalContext: nil)
    }

    /// The prompt for a conversation in which the model may call `tools`.
    public func applyChatTemplate(messages: [Message], tools: [ToolSpec]?) throws -> [Int] {
        try applyChatTemplate(messages: messages, tools: tools, additionalContext: nil)
    }

    /// The id of `bosToken`.
    public var bosTokenId: Int? { bosToken.flatMap(convertTokenToId) }

    /// The id of `eosToken`.
    public var eosTokenId: Int? { eosToken.flatMap(convertTokenToId) }

    /// The id of `unknownToken`.
    public var unknownTokenId: Int? { unknownToken.flatMap(convertTokenToId) }
}

/// Reads the tokenizer of a model's folder.
public protocol TokenizerLoader: Sendable {
    /// The tokenizer in the folder `directory`.
    func load(from directory: URL) async throws -> any Tokenizer
}
