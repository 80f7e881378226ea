// Replies to `POST /v1/chat/completions`.

import ChatProtocol

/// Writes a chat completion.
public struct ChatCompletionWriter: ReplyWriter {
    private let head: CompletionHead
    private let includesUsage: Bool

    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - includesUsage: whether a stream ends with the tokens used.
    public init(_ head: CompletionHead, includesUsage: Bool) {
        self.head = head
        self.includesUsage = includesUsage
    }

    /// The object `chat.completion`.
    public func whole(_ text: String, _ end: CompletionEnd, _ usage: TokenUsage?) -> [UInt8] {
        WireEncoding.text(ChatCompletion(head, text: text, end: end, usage: usage))
    }

    /// The chunk with the role.
    public func begin() -> [UInt8] { frame(.role) }

    /// A chunk.
    public func more(_ text: String) -> [UInt8] { frame(.text(text)) }

    /// The chunk with the reason, the tokens used if they are wanted, and `[DONE]`.
    public func end(_ end: CompletionEnd, _ usage: TokenUsage?) -> [UInt8] {
        frame(.end(end)) + (includesUsage ? frame(.usage(usage)) : []) + EventStream.done
    }

    /// The error instead of `[DONE]`.
    public func fail(_ error: APIError) -> [UInt8] { EventStream.frame(error) }

    private func frame(_ content: ChatCompletionChunk.Content) -> [UInt8] {
        EventStream.frame(ChatCompletionChunk(head, content, includesUsage: includesUsage))
    }
}
