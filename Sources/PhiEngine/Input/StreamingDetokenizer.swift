// Text of tokens that arrive one by one.

/// Converts tokens to text as they arrive.
public protocol StreamingDetokenizer: IteratorProtocol<String> {
    /// Adds a token.
    mutating func append(token: Int)
}

/// Converts tokens to text with any tokenizer, whole characters at a time.
public struct NaiveStreamingDetokenizer: StreamingDetokenizer {
    private let tokenizer: any Tokenizer
    /// The tokens since the last line break, or since the start.
    private var tokens: [Int] = []
    /// The bytes of their text that `next` has returned.
    private var returnedCount = 0

    /// A detokenizer at the start of a text.
    public init(tokenizer: any Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// Adds a token.
    public mutating func append(token: Int) {
        tokens.append(token)
    }

    /// The text since the last call; nil if it ends within a character.
    public mutating func next() -> String? {
        let text = tokenizer.decode(tokenIds: tokens)
        guard let new = String(text.utf8.dropFirst(returnedCount)), !new.hasSuffix("\u{FFFD}")
        else {
            return nil
        }
        returnedCount = text.utf8.count
        if new.hasSuffix("\n"), let last = tokens.last {
            // A line is decoded without those before it. Its first token stays, as some tokenizers
            // decode the first one of a text differently.
            tokens = [last]
            returnedCount = tokenizer.decode(tokenIds: tokens).utf8.count
        }
        return new
    }
}
