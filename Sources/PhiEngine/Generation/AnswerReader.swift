// Makes a generation's events of the text of an answer.

import Tokenizers
import ToolCalls

/// Splits an answer into text and calls while it grows.
struct AnswerReader {
    private var parser: ToolCallParser?
    /// The call that is being read.
    private var name: String?
    private var arguments = ""

    /// - Parameters:
    ///   - names: the functions that the prompt describes; without one, all is text.
    ///   - form: how the model calls them; nil if it has no form.
    init(names: Set<String>, form: ToolForm?) {
        parser = names.isEmpty ? nil : form?.parser(of: names)
    }

    /// Reads more of the answer's text.
    mutating func append(_ text: String) -> [Generation] {
        guard let events = parser?.append(text) else { return [.chunk(text)] }
        return events.flatMap { read($0) }
    }

    /// Ends the answer.
    mutating func finish() -> [Generation] {
        let events = parser?.finish() ?? []
        return events.flatMap { read($0) } + endCall()
    }

    private mutating func read(_ event: ToolCallParser.Event) -> [Generation] {
        switch event {
        case .text(let text): return endCall() + [.chunk(text)]
        case .call(_, let name):
            let before = endCall()
            self.name = name
            return before
        case .arguments(_, let text):
            arguments += text
            return []
        }
    }

    /// A call is complete once something else follows. One that the answer's end cut is text.
    private mutating func endCall() -> [Generation] {
        guard let name else { return [] }
        defer { (self.name, arguments) = (nil, "") }
        if let function = ToolCall.Function(name: name, writtenArguments: arguments) {
            return [.toolCall(ToolCall(function: function))]
        }
        return [.chunk("\(name)\(arguments)")]
    }
}
