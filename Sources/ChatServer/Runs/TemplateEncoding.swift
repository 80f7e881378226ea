// A model's chat template, as the prompt builder wants it.

import ChatCore
import Tokenizers

/// Encodes prompts by the template of a loaded model, scaffold and contents apart, so that no text of
/// a message can become a special token.
struct TemplateEncoding: PromptEncoding {
    let template: ChatTemplate

    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int]) {
        let encoded = template.encode(
            messages.map { ChatMessage(role: $0.role, content: $0.text) },
            addGenerationPrompt: true
        )
        return (encoded.tokens, encoded.messageTokenCounts)
    }
}
