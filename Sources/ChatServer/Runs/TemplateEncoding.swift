// Encodes prompts with a model's chat template.

package import ChatCore
package import Tokenizers

/// Encodes prompts with the template of a loaded model, template and message texts separately, so
/// that no text can become a special token.
package struct TemplateEncoding: PromptEncoding {
    private let template: ChatTemplate
    private let resultRole: String?
    /// Encodes single messages; nil if the template does not allow it.
    package let parts: (any PromptPartEncoding)?

    /// - Parameter template: the template of the model that answers.
    package init(template: ChatTemplate) {
        self.template = template
        let resultRole = template.toolForm?.resultRole
        self.resultRole = resultRole
        parts = ChatTemplateParts(template).map {
            TemplatePartEncoding(parts: $0, resultRole: resultRole)
        }
    }

    /// The tokens of `messages`, followed by the template's start of the answer.
    package func encode(
        _ messages: [PromptMessage]
    ) -> (tokens: [Int32], messageTokenCounts: [Int]) {
        let encoded = template.encode(chat(messages), addGenerationPrompt: true)
        return (encoded.tokens, encoded.messageTokenCounts)
    }

    /// The same as text.
    package func render(_ messages: [PromptMessage]) -> String {
        template.render(chat(messages), addGenerationPrompt: true)
    }

    private func chat(_ messages: [PromptMessage]) -> [ChatMessage] {
        messages.map { ChatMessage($0, resultRole: resultRole) }
    }
}

/// Encodes single messages.
private struct TemplatePartEncoding: PromptPartEncoding {
    let parts: ChatTemplateParts
    let resultRole: String?

    var opening: [Int32] { parts.opening }
    var closing: [Int32] { parts.closing }
    var dependsOnPosition: Bool { parts.dependsOnPosition }

    func encode(_ message: PromptMessage, isFirst: Bool, isLast: Bool) -> [Int32]? {
        parts.encode(ChatMessage(message, resultRole: resultRole), isFirst: isFirst, isLast: isLast)
    }

    func tokenCountMin(of text: String) -> Int {
        // Special tokens may absorb white space at the ends of the text.
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return 0 }
        return text.utf8[first...last].count / parts.tokenByteCountMax
    }
}

extension ChatMessage {
    /// - Parameters:
    ///   - message: the message.
    ///   - resultRole: the role of results of calls, if the template has one.
    fileprivate init(_ message: PromptMessage, resultRole: String?) {
        self.init(
            role: message.role == "tool" ? resultRole ?? message.role : message.role,
            content: message.text,
            tools: message.tools,
            calls: message.calls
        )
    }
}
