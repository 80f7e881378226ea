// Replies to `POST /v1/chat/completions`.

import ChatProtocol

/// Writes a chat completion.
public struct ChatCompletionWriter: ReplyWriter {
    private let head: CompletionHead
    private let count: Int
    private let includesUsage: Bool
    private let includesTokens: Bool

    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - count: the number of answers.
    ///   - includesUsage: whether a stream ends with the tokens used.
    ///   - includesTokens: whether tokens have their probabilities.
    public init(
        _ head: CompletionHead,
        count: Int = 1,
        includesUsage: Bool,
        includesTokens: Bool = false
    ) {
        self.head = head
        self.count = count
        self.includesUsage = includesUsage
        self.includesTokens = includesTokens
    }

    /// The object `chat.completion`.
    public func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8] {
        WireEncoding.text(
            ChatCompletion(head, answers, usage: usage, includesTokens: includesTokens)
        )
    }

    /// The chunks with the role, one for each answer.
    public func begin() -> [UInt8] { (0..<count).flatMap { frame(.role, of: $0) } }

    /// A chunk.
    public func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        frame(.piece(piece), of: index)
    }

    /// The chunk with the reason.
    public func end(_ end: CompletionEnd, of index: Int) -> [UInt8] { frame(.end(end), of: index) }

    /// The tokens used if they are wanted, and `[DONE]`.
    public func finish(_ usage: TokenUsage?) -> [UInt8] {
        (includesUsage ? frame(.usage(usage), of: 0) : []) + EventStream.done
    }

    /// The error instead of `[DONE]`.
    public func fail(_ error: APIError) -> [UInt8] { EventStream.frame(error) }

    private func frame(_ content: ChatCompletionChunk.Content, of index: Int) -> [UInt8] {
        EventStream.frame(
            ChatCompletionChunk(
                head,
                content,
                of: index,
                includesUsage: includesUsage,
                includesTokens: includesTokens
            )
        )
    }
}
