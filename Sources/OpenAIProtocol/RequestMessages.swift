// Reads the messages of a request: an optional system message, the history, and the question.

import ChatProtocol
import JSONText

/// The messages of a request in their parts.
struct RequestMessages {
    /// The text of the system or developer message.
    private(set) var system: String?
    let history: [ChatCompletionRequest.Turn]
    /// The last message, which is a user's or the result of a call; nil if there are only results
    /// of calls that are not in the request.
    let last: ChatCompletionRequest.Turn?
    /// Results of calls of the response that the request continues, which come before the history.
    let continuedResults: [ContinuedResult]
    /// Whether there are calls of tools.
    let hasCalls: Bool

    /// Who wrote a message.
    private enum Writer {
        case system, user, assistant, tool
    }

    /// - Parameters:
    ///   - value: the field with the messages; in the form `response` also the question alone.
    ///   - form: how they are written.
    ///   - instructions: a system message that stands elsewhere in the request.
    ///   - continuesAnswer: whether they continue an answer that may have calls.
    /// - Throws: `APIError`, with the place of what is wrong.
    init(
        reading value: JSONValue,
        _ form: MessageForm,
        instructions: String? = nil,
        continuesAnswer: Bool = false
    ) throws(APIError) {
        if let instructions {
            system = instructions.isEmpty ? nil : try Self.checked(instructions, at: "instructions")
        }
        if form.field == MessageForm.response.field, value.string != nil {
            let text = try Self.text(value, at: form.field, form)
            (history, hasCalls, continuedResults) = ([], false, [])
            last = ChatCompletionRequest.Turn(role: .user, text: text)
            return
        }
        let elements = try Self.elements(of: value, form)
        var turns = ToolTurns(continuesAnswer: continuesAnswer)
        for (index, element) in elements.enumerated() {
            let path = "\(form.field)[\(index)]"
            let message = try RequestFields(element, at: path)
            if form.hasCallItems, try Self.addCallItem(message, at: path, form, to: &turns) {
                continue
            }
            try Self.requireMessage(message)
            let writer = try Self.writer(of: message)
            if writer == .system {
                guard index == 0, system == nil else {
                    throw APIError.invalid(
                        "\(path).role",
                        "there can be one system or developer message, and it is the first message"
                    )
                }
                system = try Self.text(of: message, at: path, form)
            } else {
                try Self.add(message, of: writer, at: path, form, to: &turns)
            }
        }
        let lastPath = "\(form.field)[\(elements.count - 1)].\(Self.kindField(of: elements))"
        try turns.close(before: lastPath)
        var all = turns.turns
        continuedResults = turns.continuedResults
        hasCalls = turns.hasCalls || !continuedResults.isEmpty
        last = all.popLast()
        history = all
        guard last?.role == .user || last == nil && !continuedResults.isEmpty else {
            throw APIError.invalid(lastPath, "the last message must be a user's")
        }
    }

    /// Adds a call or a result that is an item of its own.
    /// - Returns: whether it is one.
    private static func addCallItem(
        _ item: RequestFields,
        at path: String,
        _ form: MessageForm,
        to turns: inout ToolTurns
    ) throws(APIError) -> Bool {
        switch try item.string("type") {
        case "function_call":
            try item.refuseOthers(
                than: ["type", "id", "call_id", "name", "arguments", "status"],
                harmless: [:]
            )
            try turns.add(item.call(id: item.callID("call_id")), at: "\(path).type")
        case "function_call_output":
            try item.refuseOthers(
                than: ["type", "id", "call_id", "output", "status"],
                harmless: [:]
            )
            let place = item.place(of: "output")
            let result = try plainText(item.required("output"), at: place, form, mayBeEmpty: true)
            let id = try item.callID("call_id")
            try turns.add(result: result, of: id, at: item.place(of: "call_id"))
        case "reasoning":
            // What an answer thought is not in later prompts.
            try item.refuseOthers(
                than: ["type", "id", "content", "status", "summary"],
                harmless: ["encrypted_content": { _ in false }]
            )
        default: return false
        }
        return true
    }

    private static func add(
        _ message: RequestFields,
        of writer: Writer,
        at path: String,
        _ form: MessageForm,
        to turns: inout ToolTurns
    ) throws(APIError) {
        switch writer {
        case .system: break
        case .user:
            try turns.add(user: text(of: message, at: path, form), at: "\(path).role")
        case .assistant:
            let calls = form.hasToolCalls ? try message.toolCalls() : []
            // An answer that consists of calls has no text.
            let hasText = calls.isEmpty || message["content"].map { $0.string != "" } ?? false
            let text = hasText ? try text(of: message, at: path, form) : ""
            if !hasText { try refuseOthers(of: message, form) }
            try turns.add(answer: text, calls, at: "\(path).role")
        case .tool:
            guard form.hasToolCalls else {
                throw APIError.unsupported("\(path).role", "results are items of their own here")
            }
            try message.refuseOthers(than: ["role", "content", "tool_call_id"], harmless: [:])
            let result = try plainText(
                message.required("content"),
                at: "\(path).content",
                form,
                mayBeEmpty: true
            )
            let place = message.place(of: "tool_call_id")
            try turns.add(result: result, of: message.callID("tool_call_id"), at: place)
        }
    }

    /// The text of a message that must have one.
    private static func text(
        of message: RequestFields,
        at path: String,
        _ form: MessageForm
    ) throws(APIError) -> String {
        try refuseOthers(of: message, form)
        return try text(message.required("content"), at: "\(path).content", form)
    }

    private static func refuseOthers(
        of message: RequestFields,
        _ form: MessageForm
    ) throws(APIError) {
        let isAnswer = try message.string("role") == "assistant"
        let fields = form.fields.union(form.hasToolCalls && isAnswer ? ["tool_calls"] : [])
        try message.refuseOthers(than: fields, harmless: form.emptyFields)
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

    /// The field that says what the last message or item is.
    private static func kindField(of elements: [JSONValue]) -> String {
        elements.last?["role"] == nil ? "type" : "role"
    }

    /// Refuses items of a response that are no messages, such as its thoughts.
    private static func requireMessage(_ item: RequestFields) throws(APIError) {
        guard let type = try item.string("type"), type != "message" else { return }
        throw APIError.unsupported(
            item.place(of: "type"),
            "this server supports messages, function_call and function_call_output, and no "
                + "\(type.prefix(40))"
        )
    }

    private static func writer(of message: RequestFields) throws(APIError) -> Writer {
        let place = message.place(of: "role")
        guard let name = try message.string("role") else {
            throw APIError.invalid(place, "it is missing", code: "missing_required_parameter")
        }
        switch name {
        case "system", "developer": return .system
        case "user": return .user
        case "assistant": return .assistant
        case "tool": return .tool
        case "function":
            throw APIError.unsupported(place, "its newer name is tool, with a tool_call_id")
        default:
            throw APIError.invalid(place, "it must be system, developer, user, assistant or tool")
        }
    }

    /// The text of a message: a string, or text parts, which are joined by line feeds.
    private static func text(
        _ content: JSONValue,
        at place: String,
        _ form: MessageForm
    ) throws(APIError) -> String {
        try plainText(content, at: place, form, mayBeEmpty: false)
    }

    private static func plainText(
        _ content: JSONValue,
        at place: String,
        _ form: MessageForm,
        mayBeEmpty: Bool
    ) throws(APIError) -> String {
        if let whole = content.string {
            return try checked(whole, at: place, mayBeEmpty: mayBeEmpty)
        }
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
        return try checked(texts.joined(separator: "\n"), at: place, mayBeEmpty: mayBeEmpty)
    }

    private static func checked(
        _ text: String,
        at place: String,
        mayBeEmpty: Bool = false
    ) throws(APIError) -> String {
        guard mayBeEmpty || text.contains(where: { !$0.isWhitespace }) else {
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
