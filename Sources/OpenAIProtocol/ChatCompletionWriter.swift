// Replies to `POST /v1/chat/completions`.

import ChatProtocol
public import ToolCalls

/// Writes a chat completion.
public struct ChatCompletionWriter: ReplyWriter {
    private let head: CompletionHead
    private let count: Int
    private let includesUsage: Bool
    private let includesTokens: Bool
    private let parser: ToolCallParser?
    /// A parser for each answer of a stream; none for a request without tools.
    private var parsers: [ToolCallParser]
    /// The parts of each answer of a stream.
    private var parts: [AnswerParts]

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
        parts = [AnswerParts](repeating: AnswerParts(), count: count)
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

    /// A chunk; of a request with tools, a chunk for the text and one for each step of a call. What a
    /// model thinks has chunks of its own.
    public mutating func more(_ piece: AnswerPiece, of index: Int) -> [UInt8] {
        let pieces = parts[index].append(piece)
        return frames(pieces, of: index)
    }

    /// The chunk with the reason.
    public mutating func end(_ end: CompletionEnd, of index: Int) -> [UInt8] {
        let pieces = parts[index].finish()
        var rest = frames(pieces, of: index)
        guard !parsers.isEmpty else { return rest + frame(.end(end), of: index) }
        rest += frames(parsers[index].finish(), of: index)
        return rest + frame(.end(end.with(calls: parsers[index].hasCalls)), of: index)
    }

    private mutating func frames(_ pieces: [AnswerParts.Piece], of index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .thinking(let text): bytes += frame(.thinking(text), of: index)
            case .answer(let piece) where parsers.isEmpty: bytes += frame(.piece(piece), of: index)
            case .answer(let piece): bytes += frames(parsers[index].append(piece.text), of: index)
            }
        }
        return bytes
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
