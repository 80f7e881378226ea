// Training data: OpenAI's fine-tuning lines (a `messages` array, `weight` 0 for answers that should not
// be learned), and ShareGPT's objects (`conversations` of `from` and `value`, with alternating speakers).

import ChatProtocol

enum TrainingText {
    private struct Line: Encodable {
        let messages: [Turn]
    }

    private struct Turn: Encodable {
        let role: String
        let content: String
        var weight: Int?
    }

    private struct Dialogue: Encodable {
        let id: ConversationID
        var conversations: [Remark] = []
    }

    private struct Remark: Encodable {
        let from: String
        var value: String
    }

    /// One line; empty if there is no answer.
    static func openAI(
        _ document: ConversationDocument,
        _ entries: [ConversationDocument.Entry]
    ) -> [UInt8] {
        var turns: [Turn] = []
        if !document.systemPrompt.isEmpty {
            turns.append(Turn(role: "system", content: document.systemPrompt))
        }
        for entry in upToLastAnswer(entries) {
            let isBad = entry.isDisliked || entry.message.state != .complete
            let isAnswer = entry.message.role == .assistant
            turns.append(
                Turn(
                    role: entry.message.role.rawValue,
                    content: entry.message.text,
                    weight: isAnswer && isBad ? 0 : nil
                )
            )
        }
        guard turns.contains(where: { $0.role == "assistant" }) else { return [] }
        let line = WireEncoding.text(Line(messages: turns))
        return DirectionMarks.escaped(inJSON: line) + [UInt8(ascii: "\n")]
    }

    /// One object; empty if there is no answer.
    static func shareGPT(
        _ document: ConversationDocument,
        _ entries: [ConversationDocument.Entry]
    ) -> [UInt8] {
        var dialogue = Dialogue(id: document.conversation.id)
        let entries = upToLastAnswer(entries)
        guard !entries.isEmpty else { return [] }
        if !document.systemPrompt.isEmpty {
            dialogue.conversations.append(Remark(from: "system", value: document.systemPrompt))
        }
        for entry in entries {
            let from = entry.message.role == .assistant ? "gpt" : "human"
            // Joins consecutive messages of one speaker: trainers expect speakers to alternate.
            if let last = dialogue.conversations.last, last.from == from {
                dialogue.conversations[dialogue.conversations.count - 1].value +=
                    "\n\n" + entry.message.text
            } else {
                dialogue.conversations.append(Remark(from: from, value: entry.message.text))
            }
        }
        return DirectionMarks.escaped(inJSON: WireEncoding.text(dialogue))
    }

    private static func upToLastAnswer(
        _ entries: [ConversationDocument.Entry]
    ) -> ArraySlice<ConversationDocument.Entry> {
        let last = entries.lastIndex { $0.message.role == .assistant && !$0.message.text.isEmpty }
        guard let last else { return [] }
        return entries[...last]
    }
}
