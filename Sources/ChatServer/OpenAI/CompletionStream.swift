// The chunks of a streamed reply, made as the client reads them.

import ChatProtocol
import EventLoop
import OpenAIProtocol

/// The frames of one streamed reply.
final class CompletionStream {
    private enum Phase {
        case role
        case text
        case over
    }

    /// How long nothing is sent while an answer waits, so that no proxy closes the connection.
    private static let silenceMax = Duration.seconds(15)

    private let head: CompletionHead
    private let reader: AnswerReader
    private let includesUsage: Bool
    private var phase = Phase.role
    /// What was read before the head was sent.
    private var first: AnswerReader.Piece?

    /// - Parameters:
    ///   - head: what all chunks have in common.
    ///   - reader: reads the answer.
    ///   - first: what was read from it already.
    ///   - includesUsage: whether the stream ends with the tokens used.
    init(
        _ head: CompletionHead,
        _ reader: AnswerReader,
        first: AnswerReader.Piece,
        includesUsage: Bool
    ) {
        self.head = head
        self.reader = reader
        self.first = first
        self.includesUsage = includesUsage
    }

    /// The next frames; nil at the end. A failed answer ends with an error instead of `[DONE]`.
    func next() async -> [UInt8]? {
        switch phase {
        case .role:
            phase = .text
            return frame(.role)
        case .text:
            do {
                let piece: AnswerReader.Piece
                if let first {
                    self.first = nil
                    piece = first
                } else {
                    piece = try await reader.next(within: Self.silenceMax)
                }
                return try frames(of: piece)
            } catch {
                phase = .over
                return EventStream.frame(shown(error))
            }
        case .over: return nil
        }
    }

    private func frames(of piece: AnswerReader.Piece) throws(APIError) -> [UInt8] {
        switch piece {
        case .text(let text): return frame(.text(text))
        case .nothing: return EventStream.comment
        case .end(let end):
            let last = frame(.end(try end.completionEnd()))
            phase = .over
            let usage = includesUsage ? frame(.usage(end.usage.map { TokenUsage($0) })) : []
            return last + usage + EventStream.done
        }
    }

    private func frame(_ content: ChatCompletionChunk.Content) -> [UInt8] {
        EventStream.frame(ChatCompletionChunk(head, content, includesUsage: includesUsage))
    }

    private func shown(_ error: any Error) -> APIError {
        switch error {
        case let error as APIError: error
        case let error as WireError: APIError(error)
        default: APIError(503, .server, "the rest of the answer could not be read")
        }
    }
}
