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

    private let answers: AnswerGroup
    private let answersPerPrompt: Int
    private var writer: any ReplyWriter
    private var phase = Phase.start
    /// What was read before the head was sent.
    private var first: AnswerGroup.Piece?

    /// - Parameters:
    ///   - answers: reads the answers.
    ///   - answersPerPrompt: how many of them share a prompt.
    ///   - writer: writes the reply.
    ///   - first: what was read already.
    init(
        _ answers: AnswerGroup,
        answersPerPrompt: Int,
        _ writer: any ReplyWriter,
        first: AnswerGroup.Piece
    ) {
        self.answers = answers
        self.answersPerPrompt = answersPerPrompt
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
                let piece: AnswerGroup.Piece
                if let first {
                    self.first = nil
                    piece = first
                } else {
                    piece = try await answers.read(within: Self.silenceMax)
                }
                return try frames(of: piece)
            } catch {
                phase = .over
                return writer.fail(shown(error))
            }
        case .over: return nil
        }
    }

    private func frames(of piece: AnswerGroup.Piece) throws(APIError) -> [UInt8] {
        switch piece {
        case .piece(let piece, let index): return writer.more(piece, of: index)
        case .nothing: return EventStream.comment
        case .end(let end, let index):
            let frames = writer.end(try end.completionEnd(), of: index)
            guard answers.isOver else { return frames }
            phase = .over
            return frames + writer.finish(answers.usage(answersPerPrompt: answersPerPrompt))
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
