// Open WebUI's chats: an object with `chat`, or only that object's content in older versions. Messages
// name their parents; `childrenIds` and the flat copy of one branch are ignored.

import ChatProtocol
import JSONText

/// Reads an element of an export of chats.
enum OpenWebUIConverter {
    private static let knownOutside: Set<String> = [
        "id", "user_id", "title", "chat", "created_at", "updated_at", "archived",
    ]
    private static let knownInside: Set<String> = [
        "id", "title", "models", "history", "messages", "params", "system", "timestamp",
    ]
    private static let knownOfMessage: Set<String> = [
        "id", "parentId", "childrenIds", "role", "content", "timestamp", "model", "models", "done",
        "error", "files", "modelName", "modelIdx", "lastSentence",
    ]

    static func conversation(
        of element: ForeignElement,
        limits: ForeignLimits,
        notes: inout ForeignNotes
    ) throws -> ForeignConversation {
        let outside = element.members
        let inside = outside["chat"]?.object ?? outside
        guard let messages = inside["history"]?["messages"]?.object else {
            throw SkippedConversation(reason: .messagesNotAnObject)
        }
        guard messages.count <= limits.messageCountMax else {
            throw SkippedConversation(reason: .tooManyMessages)
        }
        // Exports of one chat have no chat id; the first message's id is stable, too.
        let id =
            ForeignValue.text(outside["id"]) ?? ForeignValue.text(inside["id"])
            ?? firstMessage(of: messages)
        guard let id else { throw SkippedConversation(reason: .noMessagesAndNoID) }
        notes.object = "conversation \(quoted(id))"
        var conversation = ForeignConversation(system: .openWebUI, id: id)
        conversation.title =
            ForeignValue.text(outside["title"]) ?? ForeignValue.text(inside["title"]) ?? ""
        conversation.createdAt =
            ForeignValue.time(outside["created_at"]) ?? ForeignValue.time(inside["timestamp"])
        conversation.updatedAt = ForeignValue.time(outside["updated_at"])
        conversation.currentNode = inside["history"]?["currentId"]?.string
        addSettings(inside, to: &conversation)
        for (key, value) in messages {
            conversation.nodes.append(node(key, value, &conversation.systemPrompts, &notes))
        }
        if outside["chat"] != nil {
            notes.countUnknown(outside, known: knownOutside, of: "conversation")
        }
        notes.countUnknown(inside, known: knownInside, of: "chat")
        return conversation
    }

    private static func firstMessage(of messages: JSONObject) -> String? {
        let roots = messages.filter { ForeignValue.text($0.value["parentId"]) == nil }
        return roots.map(\.key).min() ?? messages.keys.min()
    }

    private static func addSettings(
        _ chat: JSONObject,
        to conversation: inout ForeignConversation
    ) {
        let parameters = chat["params"]
        if let system = ForeignValue.text(parameters?["system"])
            ?? ForeignValue.text(chat["system"])
        {
            conversation.systemPrompts.append(system)
        }
        conversation.settings = GenerationSettings(
            temperature: ForeignValue.number(parameters?["temperature"], in: 0...2),
            topP: ForeignValue.number(parameters?["top_p"], in: 0.000_001...1),
            maxTokens: ForeignValue.number(parameters?["max_tokens"], in: 1...1_000_000).map {
                Int($0)
            },
            seed: ForeignValue.number(parameters?["seed"], in: 0...9_007_199_254_740_991).map {
                Int64($0)
            },
            stop: ForeignValue.texts(parameters?["stop"])
        )
    }

    private static func node(
        _ id: String,
        _ value: JSONValue,
        _ systemPrompts: inout [String],
        _ notes: inout ForeignNotes
    ) -> ForeignNode {
        let name = ForeignNotes.message(id)
        guard let message = value.object else {
            notes.skip(name, .notAnObject)
            return ForeignNode(id: id)
        }
        var node = ForeignNode(id: id, parent: ForeignValue.text(message["parentId"]))
        node.time = ForeignValue.time(message["timestamp"])
        node.model = ForeignValue.text(message["model"])
        node.text = text(of: message["content"], name, &notes)
        for _ in message["files"]?.array ?? [] { notes.skip(name, .file) }
        switch message["role"]?.string {
        case "user": node.speaker = .person
        case "assistant": node.speaker = .model
        case "system":
            if !node.text.isEmpty {
                systemPrompts.append(node.text)
                notes.change(name, .systemMessage)
            }
        case "tool": notes.skip(name, .toolResult)
        default: notes.skip(name, .unknownAuthor)
        }
        if message["done"]?.bool == false { node.state = .stopped }
        if let error = message["error"], !error.isNull, error.bool != false {
            node.state = .failed
            if node.text.isEmpty { node.text = error["content"]?.string ?? error.string ?? "" }
        }
        notes.countUnknown(message, known: knownOfMessage, of: "message")
        return node
    }

    private static func text(
        of content: JSONValue?,
        _ name: String,
        _ notes: inout ForeignNotes
    ) -> String {
        if let text = content?.string { return text }
        guard let parts = content?.array else {
            if content?.isNull == false { notes.skip(name, .contentNotText) }
            return ""
        }
        var texts: [String] = []
        for part in parts {
            if let text = ForeignValue.text(part["text"]) ?? part.string {
                texts.append(text)
            } else {
                let isImage = part["type"]?.string == "image_url"
                notes.skip(name, isImage ? .image : .notText)
                if isImage { texts.append("[image]") }
            }
        }
        return texts.joined(separator: "\n\n")
    }
}
