// The prompt that asks a model for the title of a conversation: fixed instructions, and between them
// its first question and answer as turns, so that neither can pass for an instruction.

import ChatProtocol

extension PromptBuilder {
    private static let titleInstruction = "You give conversations short titles."
    private static let titleRequest = """
        Give our conversation a title of two to six words, in its language. Write only the title.
        """
    /// Maximum tokens of a title. One that does not end within them is not a title.
    public static let titleTokensMax = 32
    /// Maximum tokens of each message; a title needs only the beginnings.
    private static let titleMessageTokensMax = 400

    /// Builds the prompt for the title of a conversation.
    /// - Parameters:
    ///   - question: its first message.
    ///   - answer: the answer to it.
    /// - Returns: nil if they do not fit.
    public func buildTitle(question: String, answer: String) -> Prompt? {
        let limit = contextLength - Self.titleTokensMax
        let room = min(Self.titleMessageTokensMax, limit / 4)
        let turns = [("user", question), ("assistant", answer)].map { role, text in
            shortened(PromptMessage(id: nil, role: role, text: text), to: room)
        }
        let messages =
            [PromptMessage(id: nil, role: "system", text: Self.titleInstruction)] + turns
            + [PromptMessage(id: nil, role: "user", text: Self.titleRequest)]
        let encoded = encoding.encode(messages)
        guard encoded.tokens.count <= limit else { return nil }
        return Prompt(
            messages: messages,
            tokens: encoded.tokens,
            receipt: PromptReceipt(
                policy: .dropOldest,
                systemPrompt: nil,
                entries: zip(messages, encoded.messageTokenCounts).map {
                    PromptReceipt.Entry($0, tokens: $1)
                },
                promptTokens: encoded.tokens.count,
                leftOut: nil,
                summarized: nil
            ),
            maxNewTokens: Self.titleTokensMax
        )
    }
}
