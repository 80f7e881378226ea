// The input of a model.

/// A prompt as tokens, from a `UserInputProcessor` or from the caller.
public struct LMInput: Sendable {
    /// The prompt's text as tokens.
    public struct Text: Sendable {
        /// The tokens, including those of the template.
        public let tokens: TokenArray

        /// Text with these tokens.
        public init(tokens: TokenArray) {
            self.tokens = tokens
        }
    }

    /// The prompt.
    public let text: Text
    /// The functions that the prompt describes: calls of them are found in the answer.
    let toolNames: Set<String>

    init(text: Text, toolNames: Set<String>) {
        self.text = text
        self.toolNames = toolNames
    }

    /// An input with this text.
    public init(text: Text) {
        self.init(text: text, toolNames: [])
    }

    /// An input with these tokens.
    public init(tokens: TokenArray) {
        self.init(text: Text(tokens: tokens))
    }
}
