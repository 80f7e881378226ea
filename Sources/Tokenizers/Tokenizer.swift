// From text to tokens and back, as tokenizer.json says (Hugging Face's `tokenizers` 0.23 is the
// reference). A value: one tokenizer serves any number of threads.

public import Checkpoints

/// The tokenizer of a model folder.
public struct Tokenizer: Sendable {
    /// What happens to "<|end|>" in a text.
    public enum SpecialTokenParsing: Sendable {
        /// It becomes the token; for texts that we wrote ourselves.
        case parse
        /// It is spelled out like any other text. No added token ever comes out, whatever the text:
        /// for texts that somebody else wrote.
        case asText
    }

    let finder: AddedTokenFinder
    let normalizer: Normalizer
    let preTokenizer: PreTokenizer
    let model: BytePairModel
    let decoderRules: DecoderRules
    let pieces: TokenPieces

    /// The tokens of `text`, with nothing added in front or behind.
    ///
    /// Time grows with n log n of the text's length.
    public func encode(_ text: String, specialTokens: SpecialTokenParsing) -> [TokenID] {
        let bytes = Array(text.utf8)
        var encoding = TextEncoding(self)
        encoding.encode(bytes, findingTokensIn: specialTokens == .parse ? [0..<bytes.count] : [])
        return encoding.tokens
    }

    /// The text of `tokens`; ill-formed UTF-8 becomes U+FFFD.
    ///
    /// - Parameters:
    ///   - tokens: Ids without a token are left out.
    ///   - keepSpecial: Whether special tokens appear as their names, "<|end|>", or are left out.
    /// - Returns: The text. White space that an added token swallowed does not come back.
    public func decode(_ tokens: [TokenID], keepSpecial: Bool) -> String {
        var decoder = StreamingDecoder(self, keepSpecial: keepSpecial)
        var text = ""
        for token in tokens { text += decoder.append(token) }
        return text + decoder.finish()
    }

    /// The token whose text in the file is `text`: "<|end|>", or an entry of the vocabulary.
    public func token(_ text: String) -> TokenID? {
        finder.tokens.last { $0.content.utf8.elementsEqual(text.utf8) }?.id
            ?? model.vocabulary.token(text.utf8)
    }

    /// Whether `token` is special: scaffolding of a conversation, no part of an answer's text.
    public func isSpecial(_ token: TokenID) -> Bool { pieces.kind(token) == .special }

    /// The tokens that `encode` with `.asText` never gives, special or not.
    public var addedTokens: Set<TokenID> { Set(finder.tokens.map(\.id)) }

    /// Whether `token` is one: models have rows for ids that are none.
    public func hasToken(_ token: TokenID) -> Bool { pieces.kind(token) != .none }

    /// How many ids have a token. A model may have more logits than that.
    public var vocabularyCount: Int { pieces.tokenCount }
}
