// A line of `stoa model render`.

package import Checkpoints
package import JSONText
package import Tokenizers

/// A conversation to render, from a script.
package struct RenderedConversation: Equatable {
    /// The messages, oldest first; at least one.
    package let messages: [ChatMessage]
    /// Whether the prompt ends with the start of the assistant's answer.
    package let addsGenerationPrompt: Bool

    /// A prompt, as text and as token ids.
    package struct Prompt: Encodable, Equatable {
        package let prompt: String
        package let ids: [TokenID]
    }

    /// Reads {"messages": […], "add_generation_prompt": true}.
    /// - Throws: if it is invalid; messages are counted from 1.
    package init(_ value: JSONValue) throws(LineError) {
        guard let list = value["messages"]?.array else {
            throw LineError(#"there is no array "messages""#)
        }
        // The reference implementation refuses that, too.
        guard !list.isEmpty else { throw LineError(#""messages" is empty"#) }
        var messages: [ChatMessage] = []
        for (index, message) in list.enumerated() {
            messages.append(try Self.message(message, number: index + 1))
        }
        self.messages = messages
        switch value["add_generation_prompt"] {
        case nil, .null: addsGenerationPrompt = false
        case .bool(let isAdded): addsGenerationPrompt = isAdded
        default: throw LineError(#""add_generation_prompt" is neither true nor false"#)
        }
    }

    /// Renders the prompt with `template`.
    package func rendered(
        by template: ChatTemplate,
        contents: ChatTemplate.ContentTreatment
    ) -> Prompt {
        Prompt(
            prompt: template.render(messages, addGenerationPrompt: addsGenerationPrompt),
            ids: template.encode(
                messages,
                addGenerationPrompt: addsGenerationPrompt,
                contents: contents
            ).tokens
        )
    }

    private static func message(
        _ value: JSONValue,
        number: Int
    ) throws(LineError) -> ChatMessage {
        guard let role = try text("role", of: value, number) else {
            throw LineError("message \(number) has no role")
        }
        return ChatMessage(
            role: role,
            content: try text("content", of: value, number) ?? "",
            tools: try text("tools", of: value, number)
        )
    }

    /// A string field; nil if it is null or missing.
    private static func text(
        _ field: String,
        of message: JSONValue,
        _ number: Int
    ) throws(LineError) -> String? {
        switch message[field] {
        case nil, .null: return nil
        case .string(let text): return text
        case .some(let value):
            throw LineError("message \(number): \(field) is \(value.kindName), not a string")
        }
    }
}
