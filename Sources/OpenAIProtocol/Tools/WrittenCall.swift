// Calls of tools in replies.
// https://platform.openai.com/docs/api-reference/chat/object

import ToolCalls

/// A call of a function, or a part of one, as a reply has it.
struct WrittenCall: Encodable {
    /// Its number; nil in a whole reply, in which calls are in order.
    var index: Int?
    /// Its id; nil for more of its arguments.
    var id: String?
    /// The function; nil likewise.
    var name: String?
    var arguments: String

    private enum Key: String, CodingKey { case index, id, type, function, name, arguments }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(index, forKey: .index)
        if let id {
            try container.encode(id, forKey: .id)
            try container.encode("function", forKey: .type)
        }
        var function = container.nestedContainer(keyedBy: Key.self, forKey: .function)
        try function.encodeIfPresent(name, forKey: .name)
        try function.encode(arguments, forKey: .arguments)
    }

    /// The id of a call: the same whenever the same answer is written.
    /// - Parameters:
    ///   - reply: the id of the reply, which ends with that of an answer.
    ///   - answer: the number of the answer in the reply.
    ///   - number: the number of the call in the answer.
    /// - Returns: the id.
    static func id(in reply: String, answer: Int, number: Int) -> String {
        let hexadecimal = reply.utf8.suffix(36).filter { $0 != UInt8(ascii: "-") }
        return "call_\(String(decoding: hexadecimal, as: UTF8.self))_\(answer)_\(number)"
    }
}

/// An answer's text and its calls.
struct AnswerWithCalls {
    private(set) var text = ""
    private(set) var calls: [(name: String, arguments: String)] = []

    /// Parses a whole answer.
    init(_ answer: String, _ parser: ToolCallParser) {
        var parser = parser
        for event in parser.append(answer) + parser.finish() {
            switch event {
            case .text(let more): text += more
            case .call(_, let name): calls.append((name, ""))
            case .arguments(let index, let more): calls[index].arguments += more
            }
        }
    }
}
