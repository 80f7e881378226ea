// Tokenizers: text to tokens and back, as defined by tokenizer.json (the reference is Hugging
// Face's `tokenizers` 0.23). A value: threads can share a tokenizer.

public import Checkpoints

/// The tokenizer of a model folder.
public struct Tokenizer: Sendable {
    /// The treatment of special tokens such as "<|end|>" in a text.
    public enum SpecialTokenParsing: Sendable {
        /// They are parsed; only for trusted texts.
        case parse
        /// They are encoded like any other text. The result never contains an added token, except
        /// for white space: for untrusted texts.
        case asText
    }

    let finder: AddedTokenFinder
    /// Finds only added tokens that are white space; nil if there are none.
    let whiteSpaceFinder: AddedTokenFinder?
    let normalizer: Normalizer
    let preTokenizer: PreTokenizer
    let model: BytePairModel
    let decoderRules: DecoderRules
    let pieces: TokenPieces

    /// Encodes `text`, without additional tokens at its start or end.
    ///
    /// Takes O(n log n) time.
    public func encode(_ text: String, specialTokens: SpecialTokenParsing) -> [TokenID] {
        let bytes = Array(text.utf8)
        var encoding = TextEncoding(self)
        encoding.encode(bytes, findingTokensIn: specialTokens == .parse ? [0..<bytes.count] : [])
        return encoding.tokens
    }

    /// Decodes `tokens`; ill-formed UTF-8 becomes U+FFFD.
    ///
    /// - Parameters:
    ///   - tokens: Unknown ids are omitted.
    ///   - keepSpecial: Whether special tokens are written as their names, "<|end|>", or omitted.
    /// - Returns: The text. White space that an added token has stripped is not restored.
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

    /// Whether `token` is special: part of the chat format, not of an answer's text.
    public func isSpecial(_ token: TokenID) -> Bool { pieces.kind(token) == .special }

    /// The tokens that `encode` with `.asText` never returns, special or not, unless they are white
    /// space.
    public var addedTokens: Set<TokenID> { Set(finder.tokens.map(\.id)) }

    /// Whether there is a token with this id: models have rows for unused ids.
    public func hasToken(_ token: TokenID) -> Bool { pieces.kind(token) != .none }

    /// The bytes that a token adds to a text; those of one token may be a part of a character. A
    /// special token, which adds nothing, has its name's bytes; an unknown id none.
    public func bytes(of token: TokenID) -> [UInt8] { Array(pieces.piece(token)) }

    /// The number of ids with a token. A model may have more logits.
    public var vocabularyCount: Int { pieces.tokenCount }

    /// Whether decoding removes a space at the start of a text.
    public var dropsLeadingSpace: Bool {
        guard case .byteFallback(_, let leadingSpacesDropped) = decoderRules else { return false }
        return leadingSpacesDropped > 0
    }
}
