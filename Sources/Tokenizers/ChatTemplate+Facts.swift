// What a template does with conversations, found by rendering one.

import ThinkingText

extension ChatTemplate {
    /// Whether prompts have the system prompts that they are given. The templates of Phi-4-reasoning and
    /// -plus have a text of their own instead.
    public var writesSystemPrompts: Bool {
        let given = "a system prompt"
        let messages = [
            ChatMessage(role: "system", content: given),
            ChatMessage(role: "user", content: "a question"),
        ]
        return segments(messages, addGenerationPrompt: true).contains { $0.text == given }
    }

    /// Whether the template's own text asks for a thinking part between `ThinkingTags`.
    public var asksForThinking: Bool {
        let messages = [ChatMessage(role: "user", content: "a question")]
        return segments(messages, addGenerationPrompt: true).contains {
            $0.source == .scaffold && $0.text.utf8.firstRange(of: ThinkingTags.opening.utf8) != nil
        }
    }
}
