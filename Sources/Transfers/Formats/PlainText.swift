// Plain text.

import ChatProtocol

enum PlainText {
    static func text(
        of document: ConversationDocument,
        _ entries: [ConversationDocument.Entry]
    ) -> String {
        let conversation = document.conversation
        let title = conversation.title.isEmpty ? "Conversation" : conversation.title.inOneLine
        var text = "\(title)\n\(String(repeating: "=", count: min(title.count, 78)))\n"
        text += "\(conversation.model.inOneLine), \(conversation.createdAt)\n"
        if !document.systemPrompt.isEmpty {
            let prompt = DirectionMarks.removed(from: document.systemPrompt)
            text += "\nSystem prompt:\n\(prompt)\n"
        }
        for entry in entries {
            let message = entry.message
            text += "\n\(entry.speaker.inOneLine), \(message.createdAt):\n"
            text += DirectionMarks.removed(from: message.parts.answer) + "\n"
            if message.state != .complete { text += "(\(message.state.rawValue))\n" }
        }
        return text
    }
}
