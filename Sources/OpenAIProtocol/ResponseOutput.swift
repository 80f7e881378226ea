// What an answer's text is in the output of a response: a message, and calls of functions.

public import ChatCore
public import ChatProtocol
import ToolCalls

/// The items of a response's output, in order. A value: text in, steps out.
public struct ResponseOutput: Sendable {
    /// An item, as far as it is known.
    enum Content: Sendable, Hashable {
        /// What the model thought.
        case reasoning(String)
        /// A message with text.
        case message(AnswerPiece)
        /// A call; calls are numbered from 0.
        case call(Int, name: String, arguments: String)
    }

    /// What a piece of the answer adds.
    enum Step: Sendable, Hashable {
        /// A new item, which has nothing yet but the name of a call.
        case item
        /// More of what the model thinks.
        case reasoning(String)
        /// More of the last item's text.
        case text(AnswerPiece)
        /// More of the last item's arguments.
        case arguments(String)
    }

    private(set) var items: [Content] = []
    private var parts = AnswerParts()
    private var parser: ToolCallParser?

    /// - Parameter tools: the functions that the model may call; nil for none.
    init(_ tools: ToolUse?) { parser = ToolCallParser(tools) }

    /// The ids of the calls in an answer, in order.
    /// - Parameters:
    ///   - text: the answer's text.
    ///   - answer: the answer.
    ///   - tools: the functions of which the model was told; nil for none.
    /// - Returns: the ids, as the response with this answer has them.
    public static func calls(in text: String, of answer: MessageID, _ tools: ToolUse?) -> [String] {
        var output = ResponseOutput(tools)
        _ = output.append(AnswerPiece(text)) + output.finish()
        return output.items.compactMap { item in
            guard case .call(let number, _, _) = item else { return nil }
            return answer.callID(number)
        }
    }

    /// Reads more of the answer.
    mutating func append(_ piece: AnswerPiece) -> [Step] {
        parts.append(piece).flatMap { add($0) }
    }

    /// Ends the answer.
    /// - Returns: what had to wait for its end.
    mutating func finish() -> [Step] {
        let rest = parts.finish().flatMap { add($0) }
        return rest + (parser?.finish() ?? []).flatMap { add($0) }
    }

    /// Adds the message of an answer that has ended without any text.
    mutating func addEmptyMessage() { items.append(.message(AnswerPiece(""))) }

    private mutating func add(_ piece: AnswerParts.Piece) -> [Step] {
        switch piece {
        case .thinking(let text):
            guard case .reasoning(let before)? = items.last else {
                items.append(.reasoning(text))
                return [.item, .reasoning(text)]
            }
            items[items.count - 1] = .reasoning(before + text)
            return [.reasoning(text)]
        case .answer(let piece):
            guard let events = parser?.append(piece.text) else { return add(piece) }
            return events.flatMap { add($0) }
        }
    }

    private mutating func add(_ event: ToolCallParser.Event) -> [Step] {
        switch event {
        case .text(let text): return add(AnswerPiece(text))
        case .call(let number, let name):
            items.append(.call(number, name: name, arguments: ""))
            return [.item]
        case .arguments(_, let more):
            // Arguments follow their own call: the parser has no other order.
            guard case .call(let number, let name, let arguments)? = items.popLast() else {
                return []
            }
            items.append(.call(number, name: name, arguments: arguments + more))
            return [.arguments(more)]
        }
    }

    private mutating func add(_ piece: AnswerPiece) -> [Step] {
        guard case .message(let before)? = items.last else {
            items.append(.message(piece))
            return [.item, .text(piece)]
        }
        items[items.count - 1] = .message(
            AnswerPiece(before.text + piece.text, tokens: before.tokens + piece.tokens)
        )
        return [.text(piece)]
    }
}

/// An item of a response's output.
struct ResponseItem: Encodable {
    enum Status: String, Encodable {
        case inProgress = "in_progress"
        case completed, incomplete

        /// The status of the last item of an answer that has ended.
        init(_ end: CompletionEnd) { self = end == .length ? .incomplete : .completed }
    }

    let answer: MessageID
    let index: Int
    let content: ResponseOutput.Content
    let status: Status
    /// Whether it has begun, and has no part yet.
    let isNew: Bool

    init(
        answer: MessageID,
        _ index: Int,
        _ content: ResponseOutput.Content,
        _ status: Status,
        isNew: Bool = false
    ) {
        self.answer = answer
        self.index = index
        self.content = content
        self.status = status
        self.isNew = isNew
    }

    /// Its id.
    var id: String {
        switch content {
        case .reasoning: answer.reasoningID
        case .message: index == 0 ? answer.itemID : "\(answer.itemID)_\(index)"
        case .call(let number, _, _): answer.callItemID(number)
        }
    }

    private enum Key: String, CodingKey {
        case id, type, role, status, content, name, arguments, summary
        case callID = "call_id"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        switch content {
        case .reasoning(let text):
            try container.encode("reasoning", forKey: .type)
            try container.encode(status, forKey: .status)
            try container.encode([String](), forKey: .summary)
            try container.encode(isNew ? [] : [ResponsePart(thinking: text)], forKey: .content)
        case .message(let piece):
            try container.encode("message", forKey: .type)
            try container.encode("assistant", forKey: .role)
            try container.encode(status, forKey: .status)
            try container.encode(isNew ? [] : [ResponsePart(piece)], forKey: .content)
        case .call(let number, let name, let arguments):
            try container.encode("function_call", forKey: .type)
            try container.encode(status, forKey: .status)
            try container.encode(answer.callID(number), forKey: .callID)
            try container.encode(name, forKey: .name)
            try container.encode(isNew ? "" : arguments, forKey: .arguments)
        }
    }
}

/// The text of a message, or what the model thought.
struct ResponsePart: Encodable {
    let type: String
    let text: String
    var annotations: [String]?
    var logprobs: [TokenEntry]?

    init(_ piece: AnswerPiece) {
        type = "output_text"
        text = piece.text
        annotations = []
        logprobs = piece.tokens.map { TokenEntry(token: $0) }
    }

    init(thinking: String) {
        type = "reasoning_text"
        text = thinking
    }
}
