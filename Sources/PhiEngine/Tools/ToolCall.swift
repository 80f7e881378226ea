// Calls of tools in answers.

import Foundation

/// A call that a model has made.
public struct ToolCall: Hashable, Codable, Sendable {
    /// The function and its arguments.
    public struct Function: Hashable, Codable, Sendable {
        /// The name.
        public let name: String
        /// The arguments by name.
        public let arguments: [String: JSONValue]

        /// A function with these arguments.
        public init(name: String, arguments: [String: JSONValue]) {
            self.name = name
            self.arguments = arguments
        }

        /// A function with arguments of Swift's types.
        public init(name: String, arguments: [String: any Sendable]) {
            self.init(name: name, arguments: arguments.mapValues { JSONValue.from($0) })
        }
    }

    /// The function and its arguments.
    public let function: Function
    /// An id for programs that tell calls apart; models of this family write none.
    public let id: String?

    /// A call of `function`.
    public init(function: Function, id: String? = nil) {
        self.function = function
        self.id = id
    }

    /// Calls the function of `tool` with the call's arguments.
    /// - Throws: `ToolError` if it is another tool, `DecodingError` if the arguments are not its input,
    ///   or what the function throws.
    public func execute<Input, Output>(with tool: Tool<Input, Output>) async throws -> Output {
        guard tool.name == function.name else {
            throw ToolError.nameMismatch(toolName: tool.name, functionName: function.name)
        }
        let arguments = try JSONEncoder().encode(function.arguments)
        return try await tool.handler(JSONDecoder().decode(Input.self, from: arguments))
    }
}
