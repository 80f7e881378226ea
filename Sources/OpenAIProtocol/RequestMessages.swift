// Reads the messages of a request: an optional system message, the history, and the question.

import ChatProtocol
import JSONText

/// The messages of a request in their parts.
struct RequestMessages {
    /// The text of the system or developer message.
    var system: String?
    var history: [ChatCompletionRequest.Turn] = []
    let question: String

    /// Fields that clients send back with an answer, and that are empty there.
    private static let emptyFields: [String: @Sendable (JSONValue) -> Bool] = [
        "annotations": { $0.array?.isEmpty == true },
        "audio": { _ in false },
        "function_call": { _ in false },
        "name": { _ in false },
        "refusal": { _ in false },
        "tool_calls": { $0.array?.isEmpty == true },
        "tool_call_id": { _ in false },
    ]

    /// - Parameter value: the field `messages`.
    /// - Throws: `APIError`, with the place of what is wrong.
    init(reading value: JSONValue) throws(APIError) {
        guard let elements = value.array else {
            throw APIError.invalid(
                "messages",
                "it must be an array, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        guard (1...ChatCompletionRequest.messageCountMax).contains(elements.count) else {
            throw APIError.invalid(
                "messages",
                "it must have 1 to \(ChatCompletionRequest.messageCountMax) messages"
            )
        }
        for (index, element) in elements.enumerated() {
            let path = "messages[\(index)]"
            let message = try RequestFields(element, at: path)
            let role = try Self.role(of: message)
            try message.refuseOthers(than: ["role", "content"], harmless: Self.emptyFields)
            let text = try Self.text(message.required("content"), at: "\(path).content")
            if let role {
                history.append(ChatCompletionRequest.Turn(role: role, text: text))
            } else if index == 0 {
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
                "messages[\(elements.count - 1)].role",
                "the last message must be a user's"
            )
        }
        question = last.text
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
    private static func text(_ content: JSONValue, at place: String) throws(APIError) -> String {
        var text = ""
        if let whole = content.string {
            text = whole
        } else if let parts = content.array {
            var texts: [String] = []
            for (index, part) in parts.enumerated() {
                texts.append(try partText(part, at: "\(place)[\(index)]"))
            }
            text = texts.joined(separator: "\n")
        } else {
            throw APIError.invalid(
                place,
                "it must be a string or an array of text parts, and is \(content.kindName)",
                code: "invalid_type"
            )
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw APIError.invalid(place, "it is empty")
        }
        guard !text.utf8.contains(0) else {
            throw APIError.invalid(place, "it holds a NUL character")
        }
        return text
    }

    private static func partText(_ value: JSONValue, at place: String) throws(APIError) -> String {
        let part = try RequestFields(value, at: place)
        guard let type = try part.string("type") else {
            throw APIError.invalid(
                "\(place).type",
                "it is missing",
                code: "missing_required_parameter"
            )
        }
        guard type == "text" else {
            throw APIError.unsupported(
                "\(place).type",
                "this server supports text parts, and no \(type.prefix(40))"
            )
        }
        try part.refuseOthers(than: ["type", "text"], harmless: [:])
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
