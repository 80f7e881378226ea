// ChatGPT's conversations: a `mapping` of nodes by id, unordered. The tree is built from the nodes'
// parents; lists of children, which newer exports omit, are ignored.

import ChatProtocol
import JSONText

/// Reads an element of conversations.json.
struct ChatGPTConverter {
    private var conversation: ForeignConversation
    private let limits: ForeignLimits

    private static let known: Set<String> = [
        "title", "create_time", "update_time", "mapping", "current_node", "conversation_id", "id",
        "is_archived", "default_model_slug",
    ]

    static func conversation(
        of element: ForeignElement,
        limits: ForeignLimits,
        notes: inout ForeignNotes
    ) throws -> ForeignConversation {
        let members = element.members
        guard let mapping = members["mapping"]?.object else {
            throw SkippedConversation(reason: .messagesNotAnObject)
        }
        guard mapping.count <= limits.messageCountMax else {
            throw SkippedConversation(reason: .tooManyMessages)
        }
        let id =
            ForeignValue.text(members["conversation_id"]) ?? ForeignValue.text(members["id"])
            ?? mapping.keys.min()
        guard let id else { throw SkippedConversation(reason: .noMessagesAndNoID) }
        notes.object = "conversation \(quoted(id))"
        var converter = ChatGPTConverter(
            conversation: ForeignConversation(system: .chatGPT, id: id),
            limits: limits
        )
        converter.conversation.title = members["title"]?.string ?? ""
        converter.conversation.createdAt = ForeignValue.time(members["create_time"])
        converter.conversation.updatedAt = ForeignValue.time(members["update_time"])
        converter.conversation.currentNode = members["current_node"]?.string
        for (key, value) in mapping {
            converter.add(key, value, &notes)
        }
        notes.countUnknown(members, known: known, of: "conversation")
        return converter.conversation
    }

    private mutating func add(_ id: String, _ value: JSONValue, _ notes: inout ForeignNotes) {
        guard let members = value.object else {
            notes.skip(ForeignNotes.message(id), .notAnObject)
            return
        }
        var node = ForeignNode(id: id, parent: ForeignValue.text(members["parent"]))
        if let message = members["message"]?.object {
            fill(&node, from: message, &notes)
        } else if let message = members["message"], !message.isNull {
            notes.skip(ForeignNotes.message(id), .notAnObject)
        }
        conversation.nodes.append(node)
    }

    private mutating func fill(
        _ node: inout ForeignNode,
        from message: JSONObject,
        _ notes: inout ForeignNotes
    ) {
        let name = ForeignNotes.message(node.id)
        let role = message["author"]?["role"]?.string
        let metadata = message["metadata"]
        let content = message["content"]
        node.time = ForeignValue.time(message["create_time"])
        if content?["content_type"]?.string == "user_editable_context" {
            addInstructions(content, metadata, name, &notes)
            return
        }
        let isHidden = metadata?["is_visually_hidden_from_conversation"]?.bool == true
        let read = ChatGPTContent(content, role: role, recipient: message["recipient"]?.string)
        for reason in read.skipped { notes.skip(name, reason) }
        if role == "system" {
            guard !read.text.isEmpty else { return }
            if isHidden || message["weight"]?.double == 0 {
                notes.skip(name, .hiddenSystemMessage)
            } else {
                conversation.systemPrompts.append(read.text)
                notes.change(name, .systemMessage)
            }
            return
        }
        guard !isHidden else {
            notes.skip(name, .hiddenMessage)
            return
        }
        switch role {
        case "user": node.speaker = .person
        case "assistant": node.speaker = read.isEmptyByNature ? .nobody : .model
        case "tool": node.speaker = read.text.isEmpty ? .nobody : .model
        default: notes.skip(name, .unknownAuthor)
        }
        node.text = read.text
        node.model = ForeignValue.text(metadata?["model_slug"])
        if let status = message["status"]?.string, status != "finished_successfully" {
            node.state = .stopped
        }
    }

    /// The user's custom instructions to ChatGPT for all conversations: they influenced the
    /// answers.
    private mutating func addInstructions(
        _ content: JSONValue?,
        _ metadata: JSONValue?,
        _ name: String,
        _ notes: inout ForeignNotes
    ) {
        // The first two as the user typed them, the others with added text.
        let data = metadata?["user_context_message_data"]
        let typed = [data?["about_user_message"], data?["about_model_message"]]
            .compactMap { ForeignValue.text($0) }
        let given = [content?["user_profile"], content?["user_instructions"]]
            .compactMap { ForeignValue.text($0) }
        let text = (typed.isEmpty ? given : typed).joined(separator: "\n\n")
        guard !text.isEmpty else { return }
        conversation.systemPrompts.append(text)
        notes.change(name, .customInstructions)
    }
}
