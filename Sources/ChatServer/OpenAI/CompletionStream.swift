// The frames of a streamed reply, made as the client reads them.

import ChatProtocol
import EventLoop
import OpenAIProtocol

/// The frames of one streamed reply.
final class CompletionStream {
    private enum Phase {
        case start
        case text
        case over
    }

    /// How long nothing is sent while an answer waits, so that no proxy closes the connection.
    private static let silenceMax = Duration.seconds(15)

    private let reader: AnswerReader
    private var writer: any ReplyWriter
    private var phase = Phase.start
    /// What was read before the head was sent.
    private var first: AnswerReader.Piece?

    /// - Parameters:
    ///   - reader: reads the answer.
    ///   - writer: writes the reply.
    ///   - first: what was read already.
    init(_ reader: AnswerReader, _ writer: any ReplyWriter, first: AnswerReader.Piece) {
        self.reader = reader
        self.writer = writer
        self.first = first
    }

    /// The next frames; nil at the end.
    func next() async -> [UInt8]? {
        switch phase {
        case .start:
            phase = .text
            return writer.begin()
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
                return writer.fail(shown(error))
            }
        case .over: return nil
        }
    }

    private func frames(of piece: AnswerReader.Piece) throws(APIError) -> [UInt8] {
        switch piece {
        case .text(let text): return writer.more(text)
        case .nothing: return EventStream.comment
        case .end(let end):
            let reason = try end.completionEnd()
            phase = .over
            return writer.end(reason, end.usage.map { TokenUsage($0) })
        }
    }

    private func shown(_ error: any Error) -> APIError {
        switch error {
        case let error as APIError: error
        case let error as WireError: APIError(error)
        default: APIError(503, .server, "the rest of the answer could not be read")
        }
    }
}
