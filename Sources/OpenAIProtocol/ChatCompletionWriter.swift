// Replies to `POST /v1/chat/completions`.

import ChatProtocol

/// Writes a chat completion.
public struct ChatCompletionWriter: ReplyWriter {
    private let head: CompletionHead
    private let count: Int
    private let includesUsage: Bool
    private let includesTokens: Bool
    private let parser: ToolCallParser?
    /// A parser for each answer of a stream; none for a request without tools.
    private var parsers: [ToolCallParser]

    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - count: the number of answers.
    ///   - includesUsage: whether a stream ends with the tokens used.
    ///   - includesTokens: whether tokens have their probabilities.
    ///   - parser: finds the calls of tools in an answer; nil for a request without tools.
    public init(
        _ head: CompletionHead,
        count: Int = 1,
        includesUsage: Bool,
        includesTokens: Bool = false,
        parser: ToolCallParser? = nil
    ) {
        self.head = head
        self.count = count
        self.includesUsage = includesUsage
        self.includesTokens = includesTokens
        self.parser = parser
        parsers = parser.map { [ToolCallParser](repeating: $0, count: count) } ?? []
    }

    /// The object `chat.completion`.
    public func whole(_ answers: [WholeAnswer], _ usage: TokenUsage?) -> [UInt8] {
        WireEncoding.text(
            ChatCompletion(
                head,
                answers,
                usage: usage,
                includesTokens: includesTokens,
                parser: parser
            )
        )
    }

    /// The chunks with the role, one for each answer.
    public func begin() -> [UInt8] { (0..<count).flatMap { frame(.role, of: $0) } }

    /// A chunk; of a request with tools, a chunk for the text and one for each step of a call.
    public mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        guard !parsers.isEmpty else { return frame(.piece(piece), of: index) }
        return frames(parsers[index].append(piece.text), of: index)
    }

    /// The chunk with the reason.
    public mutating func end(_ end: CompletionEnd, of index: Int) -> [UInt8] {
        guard !parsers.isEmpty else { return frame(.end(end), of: index) }
        let rest = frames(parsers[index].finish(), of: index)
        return rest + frame(.end(end.with(calls: parsers[index].hasCalls)), of: index)
    }

    private func frames(_ events: [ToolCallParser.Event], of index: Int) -> [UInt8] {
        events.flatMap { event in
            switch event {
            case .text(let text): frame(.piece(AnswerPiece(text)), of: index)
            case .call(let number, let name): frame(.call(number, name: name), of: index)
            case .arguments(let number, let text): frame(.arguments(number, text), of: index)
            }
        }
    }

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
