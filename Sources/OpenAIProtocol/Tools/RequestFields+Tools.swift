// Reads the tools of a request: functions, and what the model may call.
// https://platform.openai.com/docs/api-reference/chat/create

import ChatCore
import JSONText

extension RequestFields {
    /// Maximum number of functions.
    static let functionsMax = 128
    /// Maximum length of the description and of the parameters of a function, in bytes.
    static let definitionBytesMax = 64 << 10

    /// How requests for chat completions and for responses write a function: in a member of its own, or
    /// beside the type.
    enum FunctionForm {
        case nested, flat
    }

    /// The tools; nil if the request has no functions.
    /// - Throws: `APIError` if one is malformed, or not supported.
    func tools(_ form: FunctionForm) throws(APIError) -> ToolUse? {
        let functions = try functions(form)
        let choice = try choice(form)
        let isParallel = try bool("parallel_tool_calls")
        guard !functions.isEmpty else {
            switch choice {
            case nil, .none?, .automatic?: break
            case .required?, .function?: throw Self.needsTools("tool_choice")
            }
            // The form of responses says what is the case without tools.
            if isParallel == true, form == .flat { return nil }
            if isParallel != nil { throw Self.needsTools("parallel_tool_calls") }
            return nil
        }
        if case .function(let name)? = choice, !functions.contains(where: { $0.name == name }) {
            throw APIError.invalid("tool_choice", "there is no function \"\(name)\" in tools")
        }
        return ToolUse(
            functions: functions,
            choice: choice ?? .automatic,
            isParallel: isParallel ?? true
        )
    }

    private static func needsTools(_ name: String) -> APIError {
        APIError.invalid(name, "it is only for requests with tools")
    }

    // MARK: Functions

    private func functions(_ form: FunctionForm) throws(APIError) -> [ToolUse.Function] {
        guard let value = self["tools"] else { return [] }
        guard let elements = value.array else {
            throw APIError.invalid(
                "tools",
                "it must be an array, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        guard elements.count <= Self.functionsMax else {
            throw APIError.invalid("tools", "it has more than \(Self.functionsMax) functions")
        }
        var functions: [ToolUse.Function] = []
        for (index, element) in elements.enumerated() {
            let path = "tools[\(index)]"
            let tool = try RequestFields(element, at: path)
            let type = try tool.string("type")
            guard type == "function" else {
                throw APIError.unsupported(
                    "\(path).type",
                    "this server supports functions, and no \((type ?? "others").prefix(40))"
                )
            }
            let function = try Self.function(tool, at: path, form)
            guard !functions.contains(where: { $0.name == function.name }) else {
                throw APIError.invalid(path, "there are two functions \"\(function.name)\"")
            }
            functions.append(function)
        }
        return functions
    }

    private static func function(
        _ tool: RequestFields,
        at path: String,
        _ form: FunctionForm
    ) throws(APIError) -> ToolUse.Function {
        let fields: RequestFields
        switch form {
        case .nested:
            try tool.refuseOthers(than: ["type", "function"], harmless: [:])
            fields = try RequestFields(tool.required("function"), at: "\(path).function")
        case .flat: fields = tool
        }
        try fields.refuseOthers(
            than: form == .flat
                ? ["type", "name", "description", "parameters", "strict"]
                : ["name", "description", "parameters", "strict"],
            harmless: [:]
        )
        return ToolUse.Function(
            name: try fields.functionName(),
            description: try fields.description(),
            parameters: try fields.parameters(),
            isStrict: try fields.bool("strict") == true ? true : nil
        )
    }

    /// A function's name in the field `name`.
    func functionName() throws(APIError) -> String {
        guard let name = try required("name").string, (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy(\.isNameByte)
        else {
            throw APIError.invalid(
                place(of: "name"),
                "it must be 1 to 64 letters, digits, underscores and hyphens"
            )
        }
        return name
    }

    private func description() throws(APIError) -> String? {
        guard let text = try string("description") else { return nil }
        guard text.utf8.count <= Self.definitionBytesMax, !text.utf8.contains(0) else {
            throw APIError.invalid(
                place(of: "description"),
                "it is longer than \(Self.definitionBytesMax) bytes, or holds a NUL character"
            )
        }
        return text
    }

    private func parameters() throws(APIError) -> String? {
        guard let value = self["parameters"] else { return nil }
        guard value.object != nil else {
            throw APIError.invalid(
                place(of: "parameters"),
                "it must be a JSON schema, and is \(value.kindName)",
                code: "invalid_type"
            )
        }
        let text = value.spacedText
        guard text.utf8.count <= Self.definitionBytesMax else {
            throw APIError.invalid(
                place(of: "parameters"),
                "it is longer than \(Self.definitionBytesMax) bytes"
            )
        }
        return text
    }

    // MARK: Choice

    private func choice(_ form: FunctionForm) throws(APIError) -> ToolUse.Choice? {
        let name = "tool_choice"
        guard let value = self[name] else { return nil }
        switch value.string {
        case "none"?: return ToolUse.Choice.none
        case "auto"?: return .automatic
        case "required"?: return .required
        case let word?:
            throw APIError.invalid(
                name,
                "it must be none, auto, required or a function, and is \"\(word.prefix(40))\""
            )
        case nil: break
        }
        let fields = try RequestFields(value, at: name)
        guard try fields.string("type") == "function" else {
            throw APIError.unsupported("\(name).type", "this server supports only function")
        }
        switch form {
        case .nested:
            try fields.refuseOthers(than: ["type", "function"], harmless: [:])
            let function = try RequestFields(fields.required("function"), at: "\(name).function")
            try function.refuseOthers(than: ["name"], harmless: [:])
            return .function(try function.functionName())
        case .flat:
            try fields.refuseOthers(than: ["type", "name"], harmless: [:])
            return .function(try fields.functionName())
        }
    }
}

extension UInt8 {
    /// Whether it may be in the name of a function.
    fileprivate var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension JSONValue {
    /// The value as text with the white space of Python's `json.dumps`, in which models have seen most
    /// definitions. Members keep their order.
    var spacedText: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let text): ToolUse.quoted(text)
        case .array(let elements): "[\(elements.map(\.spacedText).joined(separator: ", "))]"
        case .object(let members):
            "{"
                + members.map { "\(ToolUse.quoted($0.key)): \($0.value.spacedText)" }
                .joined(separator: ", ") + "}"
        }
    }
}
