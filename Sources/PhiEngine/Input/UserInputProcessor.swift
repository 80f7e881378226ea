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
        // Some programs pass an array without tools.
        let tools = input.tools.flatMap { $0.isEmpty ? nil : $0 }
        let tokens = try tokenizer.applyChatTemplate(
            messages: messages,
            tools: tools,
            additionalContext: input.additionalContext
        )
        return LMInput(
            text: LMInput.Text(tokens: TokenArray(tokens)),
            toolNames: try tools.map { try ToolDefinitions($0).names } ?? []
        )
    }

    private static func messages(_ chat: [Chat.Message]) -> [Message] {
        chat.map { message in
            var fields: Message = ["role": message.role.rawValue, "content": message.content]
            if case .calls(let calls)? = message.tool { fields["tool_calls"] = calls }
            return fields
        }
    }
}
