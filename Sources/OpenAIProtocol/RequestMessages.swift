// Reads the messages of a request: an optional system message, the history, and the question.

import ChatProtocol
import JSONText

/// The messages of a request in their parts.
struct RequestMessages {
    /// The text of the system or developer message.
    private(set) var system: String?
    private(set) var history: [ChatCompletionRequest.Turn] = []
    let question: String

    /// - Parameters:
    ///   - value: the field with the messages; in the form `response` also the question alone.
    ///   - form: how they are written.
    ///   - instructions: a system message that stands elsewhere in the request.
    /// - Throws: `APIError`, with the place of what is wrong.
    init(
        reading value: JSONValue,
        _ form: MessageForm,
        instructions: String? = nil
    ) throws(APIError) {
        if let instructions {
            system = instructions.isEmpty ? nil : try Self.checked(instructions, at: "instructions")
        }
        if form.field == MessageForm.response.field, value.string != nil {
            question = try Self.text(value, at: form.field, form)
            return
        }
        let elements = try Self.elements(of: value, form)
        for (index, element) in elements.enumerated() {
            let path = "\(form.field)[\(index)]"
            let message = try RequestFields(element, at: path)
            try Self.requireMessage(message)
            let role = try Self.role(of: message)
            try message.refuseOthers(than: form.fields, harmless: form.emptyFields)
            let text = try Self.text(message.required("content"), at: "\(path).content", form)
            if let role {
                history.append(ChatCompletionRequest.Turn(role: role, text: text))
            } else if index == 0, system == nil {
                system = text
            } else {
                throw APIError.invalid(
                    "\(path).role",
                    "there can be one system or developer message, and it is the first message"
                )
            }
        }
        guard let last = history.popLast(), last.role == .user else {
            throw APIError.invalid(
                "\(form.field)[\(elements.count - 1)].role",
                "the last message must be a user's"
            )
        }
        question = last.text
    }

    private static func elements(
        of value: JSONValue,
        _ form: MessageForm
    ) throws(APIError) -> [JSONValue] {
        guard let elements = value.array else {
            throw APIError.invalid(
                form.field,
                "it must be an array, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        guard (1...ChatCompletionRequest.messageCountMax).contains(elements.count) else {
            throw APIError.invalid(
                form.field,
                "it must have 1 to \(ChatCompletionRequest.messageCountMax) messages"
            )
        }
        return elements
    }

    /// Refuses items of a response that are no messages, such as calls of tools.
    private static func requireMessage(_ item: RequestFields) throws(APIError) {
        guard let type = try item.string("type"), type != "message" else { return }
        throw APIError.unsupported(
            item.place(of: "type"),
            "this server supports messages, and no \(type.prefix(40))"
        )
    }

    /// The role of a message; nil for a system or developer message.
    private static func role(of message: RequestFields) throws(APIError) -> MessageRole? {
        let place = message.place(of: "role")
        guard let name = try message.string("role") else {
            throw APIError.invalid(place, "it is missing", code: "missing_required_parameter")
        }
        switch name {
        case "system", "developer": return nil
        case "user": return .user
        case "assistant": return .assistant
        case "tool", "function":
            throw APIError.unsupported(place, "this server does not support messages of tools")
        default:
            throw APIError.invalid(place, "it must be system, developer, user or assistant")
        }
    }

    /// The text of a message: a string, or text parts, which are joined by line feeds.
    private static func text(
        _ content: JSONValue,
        at place: String,
        _ form: MessageForm
    ) throws(APIError) -> String {
        if let whole = content.string { return try checked(whole, at: place) }
        guard let parts = content.array else {
            throw APIError.invalid(
                place,
                "it must be a string or an array of text parts, and is \(content.kindName)",
                code: "invalid_type"
            )
        }
        var texts: [String] = []
        for (index, part) in parts.enumerated() {
            texts.append(try partText(part, at: "\(place)[\(index)]", form))
        }
        return try checked(texts.joined(separator: "\n"), at: place)
    }

    private static func checked(_ text: String, at place: String) throws(APIError) -> String {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw APIError.invalid(place, "it is empty")
        }
        guard !text.utf8.contains(0) else {
            throw APIError.invalid(place, "it holds a NUL character")
        }
        return text
    }

    private static func partText(
        _ value: JSONValue,
        at place: String,
        _ form: MessageForm
    ) throws(APIError) -> String {
        let part = try RequestFields(value, at: place)
        guard let type = try part.string("type") else {
            throw APIError.invalid(
                "\(place).type",
                "it is missing",
                code: "missing_required_parameter"
            )
        }
        guard form.partTypes.contains(type) else {
            throw APIError.unsupported(
                "\(place).type",
                "this server supports text parts, and no \(type.prefix(40))"
            )
        }
        try part.refuseOthers(than: ["type", "text"], harmless: form.emptyPartFields)
        guard let text = try part.string("text") else {
            throw APIError.invalid(
                "\(place).text",
                "it is missing",
                code: "missing_required_parameter"
            )
        }
        return text
    }
}
