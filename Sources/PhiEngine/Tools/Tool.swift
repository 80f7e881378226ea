// Functions of a program that a model may call. A tool is described by a dictionary in OpenAI's form:
// https://platform.openai.com/docs/api-reference/chat/create

public import Foundation

/// The description of a tool: `["type": "function", "function": ["name": …, "parameters": …]]`.
public typealias ToolSpec = [String: any Sendable]

/// A tool that can be described to a model.
public protocol ToolProtocol: Sendable {
    /// The description.
    var schema: ToolSpec { get }
}

/// A function of the program, with its description.
public struct Tool<Input: Codable, Output: Codable>: ToolProtocol {
    /// The description.
    public let schema: ToolSpec
    /// The function.
    public let handler: @Sendable (Input) async throws -> Output

    /// A tool whose arguments are described one by one.
    public init(
        name: String,
        description: String,
        parameters: [ToolParameter],
        handler: @Sendable @escaping (Input) async throws -> Output
    ) {
        let function: [String: any Sendable] = [
            "name": name,
            "description": description,
            "parameters": ToolParameterType.object(properties: parameters).schema,
        ]
        self.init(schema: ["type": "function", "function": function], handler: handler)
    }

    /// A tool with a description of the program's own.
    public init(schema: ToolSpec, handler: @Sendable @escaping (Input) async throws -> Output) {
        self.schema = schema
        self.handler = handler
    }

    /// The name in the description; empty if there is none.
    public var name: String {
        (schema["function"] as? [String: any Sendable])?["name"] as? String ?? ""
    }
}

/// Why a call could not be executed.
public enum ToolError: LocalizedError, Hashable {
    /// The call is of another function.
    case nameMismatch(toolName: String, functionName: String)

    /// What happened.
    public var errorDescription: String? {
        switch self {
        case .nameMismatch(let tool, let function):
            "the tool is \"\(tool)\", and the call is of \"\(function)\": execute it with that one"
        }
    }
}

extension Encodable {
    /// The value as JSON with keys in snake case, for the result of a tool; `{}` if it has no such form.
    public var toolResult: String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
