// What a model reads.

/// A prompt as tokens, from a `UserInputProcessor` or from tokens of the program's own.
public struct LMInput: Sendable {
    /// The prompt's text as tokens.
    public struct Text: Sendable {
        /// The tokens, template scaffolding included.
        public let tokens: TokenArray

        /// A text of these tokens.
        public init(tokens: TokenArray) {
            self.tokens = tokens
        }
    }

    /// The prompt.
    public let text: Text

    /// An input of this text.
    public init(text: Text) {
        self.text = text
    }

    /// An input of these tokens.
    public init(tokens: TokenArray) {
        text = Text(tokens: tokens)
    }
}
