// Tools, calls and results in the form of Phi-4-mini's template and answers.
// https://huggingface.co/microsoft/Phi-4-mini-instruct, "Tool-enabled function-calling format"

import Foundation
import Tokenizers
import ToolCalls

/// The tools that a prompt describes.
struct ToolDefinitions {
    /// The names of the functions.
    let names: Set<String>
    /// The text in the system prompt: `[{"name": …, "description": …, "parameters": …}]`.
    let text: String

    /// - Throws: `.invalidInput` if a description has no function with a name.
    init(_ tools: [ToolSpec]) throws(PhiEngineError) {
        var names: Set<String> = []
        var texts: [String] = []
        for (index, tool) in tools.enumerated() {
            let function = tool["function"] ?? tool
            guard case .object(let members) = JSONValue.from(function),
                case .string(let name)? = members["name"], !name.isEmpty
            else {
                throw .invalidInput(
                    "tool \(index) has no function with a name; write "
                        + #"["type": "function", "function": ["name": …, "parameters": …]]"#
                )
            }
            names.insert(name)
            texts.append(
                JSONValue.object(members).text(first: ["name", "description", "parameters"])
            )
        }
        self.names = names
        text = "[\(texts.joined(separator: ", "))]"
    }
}

extension ToolForm {
    /// The parser of an answer to a prompt that describes functions of these names.
    func parser(of names: Set<String>) -> ToolCallParser {
        let marks = ToolCallParser.Marks(opening: opening, closing: closing)
        return ToolCallParser(marks, functions: names)
    }
}

extension ToolCall.Function {
    /// A call as a model has written it; nil if its arguments are no object.
    init?(name: String, writtenArguments: String) {
        let arguments = try? JSONDecoder().decode(
            [String: JSONValue].self,
            from: Data(writtenArguments.utf8)
        )
        guard let arguments else { return nil }
        self.init(name: name, arguments: arguments)
    }

    /// The call as models write it.
    var text: String {
        JSONValue.object(["name": .string(name), "arguments": .object(arguments)])
            .text(first: ["name", "arguments"])
    }
}
