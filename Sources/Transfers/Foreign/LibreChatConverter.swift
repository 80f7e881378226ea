// LibreChat's export of a conversation: a list of messages that name their parents, or nested messages.
// `exportAt` is a time as localized text and is ignored.

import ChatProtocol
import JSONText

/// Reads an export of one conversation.
struct LibreChatConverter {
    private var conversation: ForeignConversation

    /// The parent id of first messages.
    private static let noParent = "00000000-0000-0000-0000-000000000000"

    private static let known: Set<String> = [
        "conversationId", "endpoint", "title", "exportAt", "branches", "recursive", "options",
        "messages", "messagesTree",
    ]
    private static let knownOfMessage: Set<String> = [
        "_id", "messageId", "conversationId", "parentMessageId", "sender", "text", "content",
        "isCreatedByUser", "isEdited", "error", "unfinished", "model", "endpoint", "user",
        "createdAt", "updatedAt", "__v", "children",
    ]

    static func conversation(
        of element: ForeignElement,
        limits: ForeignLimits,
        notes: inout ForeignNotes
    ) throws -> ForeignConversation {
        guard let id = ForeignValue.text(element.members["conversationId"]) else {
            throw SkippedConversation(reason: .idNotText)
        }
        notes.object = "conversation \(quoted(id))"
        var converter = LibreChatConverter(
            conversation: ForeignConversation(system: .libreChat, id: id)
        )
        try converter.addMessages(of: element, limits, &notes)
        converter.addSettings(element.members)
        notes.countUnknown(element.members, known: known, of: "conversation")
        return converter.conversation
    }

    private mutating func addMessages(
        of element: ForeignElement,
        _ limits: ForeignLimits,
        _ notes: inout ForeignNotes
    ) throws {
        let list = element.members["messages"]?.array ?? []
        let nested = element.nested ?? []
        guard list.count + nested.count <= limits.messageCountMax else {
            throw SkippedConversation(reason: .tooManyMessages)
        }
        guard element.nested != nil || element.members["messages"]?.array != nil else {
            throw SkippedConversation(reason: .messagesNotAList)
        }
        if !nested.isEmpty {
            var ids: [String] = []
            for (place, message) in nested.enumerated() {
                ids.append(Self.id(of: message.members, at: place))
                let parent = message.parent.map { ids[$0] }
                conversation.nodes.append(node(ids[place], parent, message.members, &notes))
            }
            return
        }
        for (place, value) in list.enumerated() {
            guard let message = value.object else {
                notes.skip("message \(place + 1)", .notAnObject)
                continue
            }
            var parent = ForeignValue.text(message["parentMessageId"])
            if parent == Self.noParent { parent = nil }
            let id = Self.id(of: message, at: place)
            conversation.nodes.append(node(id, parent, message, &notes))
        }
    }

    private static func id(of message: JSONObject, at place: Int) -> String {
        ForeignValue.text(message["messageId"]) ?? "message \(place + 1)"
    }

    private func node(
        _ id: String,
        _ parent: String?,
        _ message: JSONObject,
        _ notes: inout ForeignNotes
    ) -> ForeignNode {
        var node = ForeignNode(id: id, parent: parent)
        node.time = ForeignValue.time(message["createdAt"])
        node.text = ForeignValue.text(message["text"]) ?? text(of: message["content"], id, &notes)
        let isPerson =
            message["isCreatedByUser"]?.bool ?? (message["sender"]?.string?.lowercased() == "user")
        node.speaker = isPerson ? .person : .model
        if !isPerson {
            node.model = ForeignValue.text(message["model"])
            if message["unfinished"]?.bool == true { node.state = .stopped }
            if message["error"]?.bool == true { node.state = .failed }
        }
        notes.countUnknown(message, known: Self.knownOfMessage, of: "message")
        return node
    }

    /// Newer versions write a list of parts and leave the text empty.
    private func text(
        of content: JSONValue?,
        _ id: String,
        _ notes: inout ForeignNotes
    ) -> String {
        var texts: [String] = []
        for part in content?.array ?? [] {
            switch part["type"]?.string {
            case "text", "error":
                let text = part["text"] ?? part["error"]
                texts.append(text?["value"]?.string ?? text?.string ?? "")
            case "think": notes.skip(ForeignNotes.message(id), .thoughts)
            case "tool_call": notes.skip(ForeignNotes.message(id), .toolCall)
            case "image_file", "image_url":
                notes.skip(ForeignNotes.message(id), .image)
                texts.append("[image]")
            default: notes.skip(ForeignNotes.message(id), .notText)
            }
        }
        return texts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private mutating func addSettings(_ members: JSONObject) {
        let options = members["options"]
        conversation.title =
            ForeignValue.text(members["title"]) ?? ForeignValue.text(options?["title"]) ?? ""
        if let prefix = ForeignValue.text(options?["promptPrefix"]) {
            conversation.systemPrompts.append(prefix)
        }
        conversation.settings = GenerationSettings(
            temperature: ForeignValue.number(options?["temperature"], in: 0...2),
            topP: ForeignValue.number(options?["top_p"], in: 0.000_001...1),
            stop: ForeignValue.texts(options?["stop"])
        )
    }
}
