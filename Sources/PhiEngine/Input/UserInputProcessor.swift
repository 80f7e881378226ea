// Converts conversations to the tokens of the model's chat format.

/// Converts a program's input to a model's input.
public protocol UserInputProcessor: Sendable {
    /// The tokens of `input`, in the model's chat format.
    /// - Throws: `PhiEngineError.invalidInput`.
    func prepare(input: UserInput) async throws -> LMInput
}

/// Applies the model's own chat template.
struct PhiInputProcessor: UserInputProcessor {
    let tokenizer: any Tokenizer

    func prepare(input: UserInput) async throws -> LMInput {
        let messages: [Message] =
            switch input.prompt {
            case .text(let text): Self.messages([.user(text)])
            case .messages(let messages): messages
            case .chat(let chat): Self.messages(chat)
            }
        let tokens = try tokenizer.applyChatTemplate(messages: messages)
        return LMInput(tokens: TokenArray(tokens))
    }

    private static func messages(_ chat: [Chat.Message]) -> [Message] {
        chat.map { ["role": $0.role.rawValue, "content": $0.content] }
    }
}
