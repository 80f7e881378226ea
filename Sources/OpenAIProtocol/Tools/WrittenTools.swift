// Tools of a request, as a response repeats them.
// https://platform.openai.com/docs/api-reference/responses/object

import ChatCore
import JSONText

/// A function of a response's `tools`.
struct WrittenFunction: Encodable {
    let function: ToolUse.Function

    private enum Key: String, CodingKey { case type, name, description, parameters, strict }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("function", forKey: .type)
        try container.encode(function.name, forKey: .name)
        try container.encode(function.description, forKey: .description)
        let parameters = function.parameters.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        try container.encode(parameters, forKey: .parameters)
        try container.encode(function.isStrict ?? false, forKey: .strict)
    }
}

/// `tool_choice` of a response: a word, or an object that names a function.
struct WrittenChoice: Encodable {
    private enum Key: String, CodingKey { case type, name }

    private let choice: ToolUse.Choice

    /// - Parameter choice: what the model may call; nil for a request without tools.
    init(_ choice: ToolUse.Choice?) { self.choice = choice ?? .automatic }

    func encode(to encoder: any Encoder) throws {
        let word: String
        switch choice {
        case .none: word = "none"
        case .automatic: word = "auto"
        case .required: word = "required"
        case .function(let name):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("function", forKey: .type)
            try container.encode(name, forKey: .name)
            return
        }
        var container = encoder.singleValueContainer()
        try container.encode(word)
    }
}
