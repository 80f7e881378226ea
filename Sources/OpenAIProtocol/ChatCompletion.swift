// The reply to `POST /v1/chat/completions`, whole or in chunks.
// https://platform.openai.com/docs/api-reference/chat/object
// https://platform.openai.com/docs/api-reference/chat-streaming

import ChatCore
public import ToolCalls

/// What a reply and all its chunks have in common.
public struct CompletionHead: Sendable, Hashable {
    /// The reply's id.
    public var id: String
    /// When the request was accepted, in seconds since 1970.
    public var created: Int64
    /// The model.
    public var model: String

    /// Creates a head.
    public init(id: String, created: Int64, model: String) {
        self.id = id
        self.created = created
        self.model = model
    }
}

private enum Key: String, CodingKey {
    case id, object, created, model, choices, usage, index, message, delta, logprobs, role
    case content, refusal
    case reasoningContent = "reasoning_content"
    case toolCalls = "tool_calls"
    case finishReason = "finish_reason"
}

extension KeyedEncodingContainer<Key> {
    fileprivate mutating func encode(_ head: CompletionHead, as object: String) throws {
        try encode(head.id, forKey: .id)
        try encode(object, forKey: .object)
        try encode(head.created, forKey: .created)
        try encode(head.model, forKey: .model)
    }
}

/// A whole reply.
public struct ChatCompletion: Sendable, Encodable {
    let head: CompletionHead
    let answers: [WholeAnswer]
    let usage: TokenUsage?
    let includesTokens: Bool
    let parser: ToolCallParser?

    /// Creates a reply.
    /// - Parameters:
    ///   - head: what it has in common with chunks.
    ///   - answers: its choices.
    ///   - usage: the tokens used.
    ///   - includesTokens: whether tokens have their probabilities.
    ///   - parser: finds the calls of tools in an answer; nil for a request without tools.
    public init(
        _ head: CompletionHead,
        _ answers: [WholeAnswer],
        usage: TokenUsage?,
        includesTokens: Bool = false,
        parser: ToolCallParser? = nil
    ) {
        self.head = head
        self.answers = answers
        self.usage = usage
        self.includesTokens = includesTokens
        self.parser = parser
    }

    /// Writes the object `chat.completion`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(head, as: "chat.completion")
        var choices = container.nestedUnkeyedContainer(forKey: .choices)
        for (index, answer) in answers.enumerated() {
            var choice = choices.nestedContainer(keyedBy: Key.self)
            try choice.encode(index, forKey: .index)
            var message = choice.nestedContainer(keyedBy: Key.self, forKey: .message)
            let (thinking, piece) = AnswerParts.split(answer.piece)
            let hasCalls = try encode(piece.text, thinking, of: index, to: &message)
            try choice.encode(logprobs: includesTokens ? piece.tokens : nil)
            try choice.encode(answer.end.with(calls: hasCalls).rawValue, forKey: .finishReason)
        }
        try container.encodeIfPresent(usage, forKey: .usage)
    }

    /// Writes a message.
    /// - Returns: whether it has calls of tools.
    private func encode(
        _ text: String,
        _ thinking: String?,
        of index: Int,
        to message: inout KeyedEncodingContainer<Key>
    ) throws -> Bool {
        let answer = parser.map { AnswerWithCalls(text, $0) }
        let calls = answer?.calls ?? []
        let content = answer?.text ?? text
        try message.encode("assistant", forKey: .role)
        let isEmpty = content.allSatisfy(\.isWhitespace)
        try message.encode(calls.isEmpty || !isEmpty ? content : nil, forKey: .content)
        try message.encodeIfPresent(thinking, forKey: .reasoningContent)
        try message.encodeNil(forKey: .refusal)
        guard !calls.isEmpty else { return false }
        let written = calls.enumerated().map { number, call in
            WrittenCall(
                id: WrittenCall.id(in: head.id, answer: index, number: number),
                name: call.name,
                arguments: call.arguments
            )
        }
        try message.encode(written, forKey: .toolCalls)
        return true
    }
}

extension CompletionEnd {
    /// The reason of an answer that may have calls of tools.
    func with(calls hasCalls: Bool) -> CompletionEnd {
        self == .stop && hasCalls ? .toolCalls : self
    }
}

extension KeyedEncodingContainer<Key> {
    /// Writes `logprobs`; null for nil.
    fileprivate mutating func encode(logprobs tokens: [AnswerToken]?) throws {
        try encode(tokens.map { ChatLogprobs(tokens: $0) }, forKey: .logprobs)
    }
}

/// A piece of a streamed reply.
public struct ChatCompletionChunk: Sendable, Encodable {
    /// What it adds.
    public enum Content: Sendable, Hashable {
        /// The first chunk: whose message follows.
        case role
        /// More of what the model thinks.
        case thinking(String)
        /// More text.
        case piece(AnswerPiece)
        /// A call of a tool begins.
        case call(Int, name: String)
        /// More of a call's arguments.
        case arguments(Int, String)
        /// The last chunk of an answer.
        case end(CompletionEnd)
        /// The tokens used, after the last chunk of all answers.
        case usage(TokenUsage?)
    }

    let head: CompletionHead
    let content: Content
    let index: Int
    /// Whether the stream ends with the tokens used: then `usage` is null in all other chunks.
    let includesUsage: Bool
    let includesTokens: Bool

    /// Creates a chunk.
    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - content: what it adds.
    ///   - index: the number of the answer.
    ///   - includesUsage: whether the stream ends with the tokens used.
    ///   - includesTokens: whether tokens have their probabilities.
    public init(
        _ head: CompletionHead,
        _ content: Content,
        of index: Int = 0,
        includesUsage: Bool,
        includesTokens: Bool = false
    ) {
        self.head = head
        self.content = content
        self.index = index
        self.includesUsage = includesUsage
        self.includesTokens = includesTokens
    }

    /// Writes the object `chat.completion.chunk`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(head, as: "chat.completion.chunk")
        var choices = container.nestedUnkeyedContainer(forKey: .choices)
        if case .usage(let usage) = content {
            try container.encode(usage, forKey: .usage)
            return
        }
        var choice = choices.nestedContainer(keyedBy: Key.self)
        try choice.encode(index, forKey: .index)
        var delta = choice.nestedContainer(keyedBy: Key.self, forKey: .delta)
        var end: CompletionEnd?
        var tokens: [AnswerToken]?
        switch content {
        case .role:
            try delta.encode("assistant", forKey: .role)
            try delta.encode("", forKey: .content)
        case .thinking(let text): try delta.encode(text, forKey: .reasoningContent)
        case .piece(let piece):
            try delta.encode(piece.text, forKey: .content)
            if includesTokens { tokens = piece.tokens }
        case .call(let number, let name):
            let id = WrittenCall.id(in: head.id, answer: index, number: number)
            let call = WrittenCall(index: number, id: id, name: name, arguments: "")
            try delta.encode([call], forKey: .toolCalls)
        case .arguments(let number, let text):
            try delta.encode([WrittenCall(index: number, arguments: text)], forKey: .toolCalls)
        case .end(let reason): end = reason
        case .usage: break
        }
        try choice.encode(logprobs: tokens)
        try choice.encode(end?.rawValue, forKey: .finishReason)
        if includesUsage { try container.encodeNil(forKey: .usage) }
    }
}
