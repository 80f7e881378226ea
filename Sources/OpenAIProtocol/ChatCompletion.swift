// The reply to `POST /v1/chat/completions`, whole or in chunks.
// https://platform.openai.com/docs/api-reference/chat/object
// https://platform.openai.com/docs/api-reference/chat-streaming

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
    let text: String
    let end: CompletionEnd
    let usage: TokenUsage?

    /// Creates a reply.
    public init(_ head: CompletionHead, text: String, end: CompletionEnd, usage: TokenUsage?) {
        self.head = head
        self.text = text
        self.end = end
        self.usage = usage
    }

    /// Writes the object `chat.completion`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(head, as: "chat.completion")
        var choices = container.nestedUnkeyedContainer(forKey: .choices)
        var choice = choices.nestedContainer(keyedBy: Key.self)
        try choice.encode(0, forKey: .index)
        var message = choice.nestedContainer(keyedBy: Key.self, forKey: .message)
        try message.encode("assistant", forKey: .role)
        try message.encode(text, forKey: .content)
        try message.encodeNil(forKey: .refusal)
        try choice.encodeNil(forKey: .logprobs)
        try choice.encode(end.rawValue, forKey: .finishReason)
        try container.encodeIfPresent(usage, forKey: .usage)
    }
}

/// A piece of a streamed reply.
public struct ChatCompletionChunk: Sendable, Encodable {
    /// What it adds.
    public enum Content: Sendable, Hashable {
        /// The first chunk: whose message follows.
        case role
        /// More text.
        case text(String)
        /// The last chunk of the answer.
        case end(CompletionEnd)
        /// The tokens used, after the last chunk of the answer.
        case usage(TokenUsage?)
    }

    let head: CompletionHead
    let content: Content
    /// Whether the stream ends with the tokens used: then `usage` is null in all other chunks.
    let includesUsage: Bool

    /// Creates a chunk.
    public init(_ head: CompletionHead, _ content: Content, includesUsage: Bool) {
        self.head = head
        self.content = content
        self.includesUsage = includesUsage
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
        try choice.encode(0, forKey: .index)
        var delta = choice.nestedContainer(keyedBy: Key.self, forKey: .delta)
        var end: CompletionEnd?
        switch content {
        case .role:
            try delta.encode("assistant", forKey: .role)
            try delta.encode("", forKey: .content)
        case .text(let text): try delta.encode(text, forKey: .content)
        case .end(let reason): end = reason
        case .usage: break
        }
        try choice.encodeNil(forKey: .logprobs)
        try choice.encode(end?.rawValue, forKey: .finishReason)
        if includesUsage { try container.encodeNil(forKey: .usage) }
    }
}
