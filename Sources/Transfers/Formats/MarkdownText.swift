// Markdown (CommonMark) with YAML front matter.

import ChatProtocol

enum MarkdownText {
    static func text(
        of document: ConversationDocument,
        _ entries: [ConversationDocument.Entry]
    ) -> String {
        let conversation = document.conversation
        var text = """
            ---
            title: \(quoted(conversation.title))
            id: \(conversation.id)
            model: \(quoted(conversation.model))
            created: \(conversation.createdAt)
            updated: \(conversation.updatedAt)
            ---

            # \(conversation.title.isEmpty ? "Conversation" : conversation.title.inOneLine)

            """
        if !document.systemPrompt.isEmpty {
            text += "\n> System prompt: "
            let prompt = DirectionMarks.removed(from: document.systemPrompt)
            text += prompt.replacing("\n", with: "\n> ") + "\n"
        }
        for entry in entries {
            let message = entry.message
            text += "\n## \(entry.speaker.inOneLine), \(message.createdAt)\n\n"
            let (thinking, answer) = message.parts
            if let thinking {
                text += "<details>\n<summary>Thinking</summary>\n\n"
                text += DirectionMarks.removed(from: thinking) + "\n\n</details>\n\n"
            }
            text += DirectionMarks.removed(from: answer) + "\n"
            if message.state != .complete { text += "\n*(\(message.state.rawValue))*\n" }
        }
        return text
    }

    /// A double-quoted scalar (YAML 1.2, section 7.3.1): a JSON string, with additional characters
    /// escaped as YAML requires, and without direction overrides.
    static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in String(decoding: WireEncoding.text(text), as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
